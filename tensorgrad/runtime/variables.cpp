#include "tensorgrad/runtime/variables.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/graph.h"

namespace tensorgrad {

const Shape& SharedParam::shape() const { return variable_->shape; }
bool SharedParam::is_state() const { return variable_->is_state; }

SharedParams with_prefix(std::string_view prefix, const SharedParams& map) {
  SharedParams result;
  for (const auto& [name, param] : map) result.emplace(std::string(prefix) + name, param);
  return result;
}

namespace runtime {
namespace {

/// States draw from streams of their own, so that adding one changes no parameter.
constexpr std::uint64_t kStateOrdinals = std::uint64_t{1} << 32;

std::string type_of(const Shape& shape) { return Type{DType::f32, shape}.str(); }

// A counter of PyTorch's BatchNorm that has no meaning here.
bool is_ignored(const std::string& name) {
  static const std::string ending = "num_batches_tracked";
  return name == ending ||
         (name.size() > ending.size() &&
          name.compare(name.size() - ending.size() - 1, std::string::npos, "." + ending) == 0);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

void check_values(const std::string& start, const Variable& variable, const Array& values) {
  if (values.dtype != DType::f32) {
    throw_usage(start + "'" + variable.name + "' is f32, " + std::string(name(values.dtype)) +
                " values given.");
  }
  if (static_cast<std::int64_t>(values.size()) != variable.numel()) {
    throw_usage(start + "'" + variable.name + "' is " + type_of(variable.shape) + " with " +
                std::to_string(variable.numel()) + " values, " + std::to_string(values.size()) +
                " given.");
  }
  if (values.has_shape && values.shape != variable.shape) {
    throw_usage(start + "'" + variable.name + "' is " + type_of(variable.shape) + ", " +
                type_of(values.shape) + " given.");
  }
}

void check_shared(const std::string& start, const std::string& name, const Variable& mine,
                  const Variable& shared, Location location) {
  if (shared.device != mine.device) {
    throw_usage(start + "'" + name + "' lies on the device '" + shared.device->name() +
                    "', this object is compiled for '" + mine.device->name() + "'.",
                location, "parameters are shared on one device; download and upload them instead.");
  }
  if (shared.precision != mine.precision) {
    throw_usage(start + "'" + name + "' is evaluated in another precision.", location);
  }
  if (shared.shape != mine.shape) {
    throw_usage(start + "'" + name + "' is " + type_of(mine.shape) + ", the shared one is " +
                    type_of(shared.shape) + ".",
                location);
  }
}

}  // namespace

std::int64_t aligned_numel(std::int64_t numel) {
  return (numel + ir::kArenaAlignment - 1) / ir::kArenaAlignment * ir::kArenaAlignment;
}

void Variables::declare(const char* call, const ModelFields& fields, const SharedParams& shared,
                        Location location) {
  const std::string start = std::string(call) + ": .shared_params: ";
  std::map<std::string, const SharedParam*> open;
  for (const auto& [name, param] : shared) open.emplace(name, &param);
  const auto enter = [&](const auto& field, const auto& leaf, bool is_state, std::uint64_t ordinal,
                         std::vector<std::shared_ptr<Variable>>& list, std::vector<bool>& flags) {
    auto variable = std::make_shared<Variable>();
    variable->name = field.name;
    variable->aliases = field.aliases;
    variable->shape = leaf.shape();
    variable->is_state = is_state;
    variable->initializer = leaf.initializer();
    variable->ordinal = ordinal;
    variable->device = device_;
    variable->precision = precision_;
    variable->sequence = sequence_;
    const SharedParam* source = nullptr;
    if (const auto found = open.find(field.name); found != open.end()) {
      source = found->second;
      open.erase(found);
    }
    for (const std::string& alias : field.aliases) {
      if (const auto found = open.find(alias); found != open.end()) {
        if (source == nullptr) source = found->second;
        open.erase(found);
      }
    }
    if (source != nullptr) {
      const Variable& theirs = *source->variable();
      check_shared(start, field.name, *variable, theirs, location);
      variable->memory = theirs.memory;
      variable->offset = theirs.offset;
      variable->sequence = theirs.sequence;
    }
    flags.push_back(source != nullptr);
    list.push_back(std::move(variable));
  };
  for (std::size_t i = 0; i < fields.parameters.size(); ++i) {
    const ParameterField& field = fields.parameters[i];
    enter(field, *field.parameter, false, i, parameters_, shared_);
  }
  for (std::size_t i = 0; i < fields.states.size(); ++i) {
    const StateField& field = fields.states[i];
    enter(field, *field.state, true, kStateOrdinals + i, states_, shared_state_);
  }
  if (!open.empty()) {
    throw_usage(start + "the model has no '" + open.begin()->first +
                    "', known: " + join_names(sorted(names())) + ".",
                location, "tg::with_prefix renames the shared parameters of a part.");
  }
}

void Variables::allocate() {
  for (auto* list : {&parameters_, &states_}) {
    for (const auto& variable : *list) {
      if (variable->memory) continue;
      variable->memory =
          device_->allocate(aligned_numel(variable->numel()), precision_, variable->name);
    }
  }
}

void Variables::place(int parameter, std::shared_ptr<backend::Memory> memory, std::int64_t offset) {
  Variable& variable = *parameters_[static_cast<std::size_t>(parameter)];
  variable.memory = std::move(memory);
  variable.offset = offset;
}

void Variables::initialize(std::uint64_t seed) {
  const auto fill = [&](const std::vector<std::shared_ptr<Variable>>& list,
                        const std::vector<bool>& shared) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (shared[i]) continue;
      const Variable& variable = *list[i];
      const std::vector<float> values =
          variable.initializer.values(variable.shape, seed, variable.ordinal);
      variable.memory->write(variable.offset, std::span<const float>(values));
    }
  };
  fill(parameters_, shared_);
  fill(states_, shared_state_);
}

std::vector<const Variable*> Variables::all() const {
  std::vector<const Variable*> list;
  for (const auto& variable : parameters_) list.push_back(variable.get());
  for (const auto& variable : states_) list.push_back(variable.get());
  return list;
}

std::vector<std::string> Variables::names() const {
  std::vector<std::string> list;
  for (const Variable* variable : all()) list.push_back(variable->name);
  return list;
}

SharedParams Variables::handles() const {
  SharedParams result;
  for (const auto* list : {&parameters_, &states_}) {
    for (const auto& variable : *list) result.emplace(variable->name, SharedParam(variable));
  }
  return result;
}

Sequences Variables::sequences() const {
  Sequences result;
  insert(result, sequence_);
  for (const Variable* variable : all()) insert(result, variable->sequence);
  return result;
}

std::int64_t Variables::bytes_of(const std::vector<std::shared_ptr<Variable>>& list,
                                 const std::vector<bool>& shared) const {
  std::int64_t numel = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!shared[i]) numel += aligned_numel(list[i]->numel());
  }
  return numel * (precision_ == backend::Precision::f32 ? 4 : 8);
}

std::int64_t Variables::parameter_bytes() const { return bytes_of(parameters_, shared_); }
std::int64_t Variables::state_bytes() const { return bytes_of(states_, shared_state_); }

void Variables::upload(const char* call, const ParamMap& values, bool partial) {
  const std::string start = std::string(call) + ": ";
  std::unordered_map<std::string, const Variable*> known;
  for (const Variable* variable : all()) {
    known.emplace(variable->name, variable);
    for (const std::string& alias : variable->aliases) known.emplace(alias, variable);
  }
  std::unordered_map<const Variable*, const Array*> chosen;
  for (const auto& [name, array] : values) {
    const auto found = known.find(name);
    if (found == known.end()) {
      if (is_ignored(name)) continue;
      throw_usage(start + "the model has no '" + name + "', known: " + join_names(sorted(names())) +
                  ".");
    }
    const Variable& variable = *found->second;
    check_values(start, variable, array);
    const auto [place, is_new] = chosen.emplace(&variable, &array);
    if (!is_new && !std::ranges::equal(place->second->bytes(), array.bytes())) {
      throw_usage(start + "'" + name + "' is the same parameter as another name of '" +
                  variable.name + "', but their values differ.");
    }
  }
  if (!partial) {
    for (const Variable* variable : all()) {
      if (chosen.count(variable) > 0) continue;
      throw_usage(start + "'" + variable->name + "' is missing.", {},
                  "pass {.partial = true} to change only some parameters.");
    }
  }
  for (const auto& [variable, array] : chosen) {
    variable->memory->write(variable->offset, array->f32());
  }
}

ParamMap Variables::download() const {
  ParamMap result;
  for (const Variable* variable : all()) {
    std::vector<float> values(static_cast<std::size_t>(variable->numel()));
    variable->memory->read(variable->offset, std::span<float>(values));
    result.emplace(variable->name, Array(variable->shape, std::move(values)));
  }
  return result;
}

}  // namespace runtime
}  // namespace tensorgrad

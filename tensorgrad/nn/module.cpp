// Paths, sharing and refusals of the model walk. A leaf is known by its address: a second path to
// it is an alias, whichever pointer led there.
#include "tensorgrad/nn/module.h"

#include <unordered_map>
#include <unordered_set>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {
namespace {

/// Deeper than any model; reached only through a pointer that leads back to its owner.
constexpr std::size_t kMaxDepth = 200;

}  // namespace

struct FieldWalk::Impl {
  std::string path;
  std::vector<std::size_t> lengths;  // of `path` before each entered part
  ModelFields fields;
  std::unordered_map<const void*, std::size_t> seen;  // leaf to its place in its list
  std::unordered_set<std::string> names;

  template <class Field>
  void add(std::vector<Field>& list, const void* address, Field field) {
    if (path.empty()) {
      throw_usage("model: the model is a single Parameter or State, it must be a struct.", {},
                  "make it a field, `struct Model { tg::Parameter w{{3}}; };`.");
    }
    if (!names.insert(path).second) {
      throw_usage(
          "model: two parameters or states have the name '" + path + "', names must differ.", {},
          "look for a map key with a dot, or a name given twice in `fields`.");
    }
    const auto [place, is_new] = seen.emplace(address, list.size());
    if (is_new) {
      field.name = path;
      list.push_back(std::move(field));
    } else {
      list[place->second].aliases.push_back(path);
    }
  }
};

FieldWalk::FieldWalk() : impl_(std::make_unique<Impl>()) {}
FieldWalk::~FieldWalk() = default;

void FieldWalk::enter(std::string_view name) {
  Impl& s = *impl_;
  if (name.empty()) {
    throw_usage("model: a field or map key below '" + s.path + "' has an empty name.", {},
                "give it a name; names become the paths of parameters.");
  }
  if (s.lengths.size() >= kMaxDepth) {
    throw_usage("model: fields are nested more than " + std::to_string(kMaxDepth) +
                    " deep, below '" + s.path.substr(0, 40) + "…'.",
                {}, "look for a shared_ptr that leads back to its owner.");
  }
  s.lengths.push_back(s.path.size());
  if (!s.path.empty()) s.path += '.';
  s.path += name;
}

void FieldWalk::enter(std::size_t index) { enter(std::to_string(index)); }

void FieldWalk::leave() {
  impl_->path.resize(impl_->lengths.back());
  impl_->lengths.pop_back();
}

void FieldWalk::leaf(const Parameter& parameter) {
  impl_->add(impl_->fields.parameters, &parameter,
             ParameterField{.name = {}, .parameter = &parameter, .aliases = {}});
}

void FieldWalk::leaf(const State& state) {
  impl_->add(impl_->fields.states, &state, StateField{.name = {}, .state = &state, .aliases = {}});
}

ModelFields FieldWalk::finish() { return std::move(impl_->fields); }

std::vector<std::pair<std::string, Tensor>> parameters(const ModelFields& fields) {
  std::vector<std::pair<std::string, Tensor>> named;
  named.reserve(fields.parameters.size());
  for (const ParameterField& field : fields.parameters) {
    named.emplace_back(field.name, field.parameter->tensor({}));
  }
  return named;
}

}  // namespace tensorgrad

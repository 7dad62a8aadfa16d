#include "tensorgrad/runtime/input_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensorgrad/base/error.h"

namespace tensorgrad {

InputValue::InputValue(const Array& array)
    : data_(array.bytes().data()),
      count_(array.size()),
      shape_(array.has_shape ? &array.shape : nullptr) {
  switch (array.dtype) {
    case DType::f32: kind_ = Kind::f32; break;
    case DType::i32: kind_ = Kind::i32; break;
    case DType::boolean: kind_ = Kind::boolean; break;
  }
}

namespace inputs_internal {

void refuse_i32(double value, std::size_t place) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  throw_usage("as_i32: value " + std::to_string(place) + " is " + text +
              ", a whole number in the range of i32 is expected.");
}

}  // namespace inputs_internal

namespace runtime {
namespace {

using Kind = InputValue::Kind;

std::string type_of(const InputDecl& input) { return Type{input.dtype, input.shape}.str(); }

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::vector<std::string> names_of(std::span<const InputDecl> inputs) {
  std::vector<std::string> names;
  for (const InputDecl& input : inputs) names.push_back(input.name);
  return names;
}

// How a refusal begins; made only when there is one.
std::string start_of(const char* call, const InputDecl& input) {
  return std::string(call) + ": input " + quoted(input.name);
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::i32: return "i32";
    case Kind::flags:
    case Kind::boolean: return "bool";
    default: return "f32";
  }
}

bool type_fits(DType dtype, const InputValue& value) {
  switch (value.kind()) {
    case Kind::number: return true;
    case Kind::f32:
    case Kind::f64: return dtype == DType::f32;
    case Kind::i32: return dtype == DType::i32;
    case Kind::flags:
    case Kind::boolean: return dtype == DType::boolean;
    case Kind::none: return false;
  }
  return false;
}

void check_number(const char* call, const InputDecl& input, double number) {
  if (input.dtype == DType::f32) return;
  const bool fits = input.dtype == DType::i32
                        ? number == std::floor(number) && std::abs(number) <= 2147483647.0
                        : number == 0 || number == 1;
  if (fits) return;
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", number);
  throw_usage(start_of(call, input) + " takes " + std::string(name(input.dtype)) + ", the number " +
              text + " given.");
}

std::int64_t numel_of_known(const InputDecl& input) {
  std::int64_t known = 1;
  for (std::int64_t extent : input.shape) {
    if (extent != any) known *= extent;
  }
  return known;
}

// The free size that an argument implies; kNoAny when its extents are all given.
std::int64_t check_length(const char* call, const InputDecl& input, const InputValue& value) {
  const auto count = static_cast<std::int64_t>(value.count());
  const bool free = std::find(input.shape.begin(), input.shape.end(), any) != input.shape.end();
  const std::int64_t known = numel_of_known(input);
  std::int64_t size = kNoAny;
  if (free) {
    if (known == 0 ? count != 0 : count % known != 0) {
      throw_usage(start_of(call, input) + " is " + type_of(input) + ", " + std::to_string(count) +
                  " values are not divisible by " + std::to_string(known) + ".");
    }
    size = known == 0 ? 0 : count / known;
  } else if (count != known) {
    throw_usage(start_of(call, input) + " is " + type_of(input) + " with " + std::to_string(known) +
                " values, " + std::to_string(count) + " given.");
  }
  if (value.shape() != nullptr) {
    if (input.shape.with_free(size) != *value.shape()) {
      throw_usage(start_of(call, input) + " is " + type_of(input) + ", an array of shape " +
                  value.shape()->str() + " given.");
    }
  }
  return size;
}

}  // namespace

void check_declarations(const char* call, std::span<const InputDecl> inputs, bool free_allowed,
                        Location location) {
  const std::string start = std::string(call) + ": ";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputDecl& input = inputs[i];
    if (input.name.empty()) {
      throw_usage(start + "input " + std::to_string(i) + " has no name.", location);
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (inputs[k].name == input.name) {
        throw_usage(start + "two inputs are named " + quoted(input.name) + ", names must differ.",
                    location);
      }
    }
    int free = 0;
    for (std::int64_t extent : input.shape) {
      if (extent < 0 && extent != any) {
        throw_usage(start + "input " + quoted(input.name) + " has the shape " + input.shape.str() +
                        ", extents are 0 or more.",
                    location);
      }
      free += extent == any ? 1 : 0;
    }
    if (free > 0 && !free_allowed) {
      throw_usage(start + "input " + quoted(input.name) + " is " + type_of(input) +
                      ", sizes of a training graph are fixed.",
                  location,
                  "give the batch size; attach the loss with tg::any to evaluate other sizes.");
    }
    if (free > 1) {
      throw_usage(start + "input " + quoted(input.name) + " is " + type_of(input) +
                      ", at most one extent may be free.",
                  location);
    }
    input.shape.with_free(1).numel();  // refuses a product that wraps
  }
}

bool has_any(std::span<const InputDecl> inputs) {
  for (const InputDecl& input : inputs) {
    if (std::find(input.shape.begin(), input.shape.end(), any) != input.shape.end()) return true;
  }
  return false;
}

void order_inputs(const char* call, std::span<const InputDecl> inputs,
                  std::span<const NamedInput> named, std::span<InputValue> ordered) {
  std::fill(ordered.begin(), ordered.end(), InputValue{});
  for (const NamedInput& given : named) {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const InputDecl& input) {
      return input.name == given.name;
    });
    if (found == inputs.end()) {
      throw_usage(std::string(call) + ": " + "there is no input " + quoted(given.name) +
                  ", known: " + join_names(names_of(inputs)) + ".");
    }
    InputValue& place = ordered[static_cast<std::size_t>(found - inputs.begin())];
    if (place.kind() != Kind::none) {
      throw_usage(std::string(call) + ": " + "input " + quoted(given.name) + " is given twice.");
    }
    place = given.value;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (ordered[i].kind() == Kind::none) {
      throw_usage(std::string(call) + ": " + "input " + quoted(inputs[i].name) + " is missing.");
    }
  }
}

std::int64_t check_inputs(const char* call, std::span<const InputDecl> inputs,
                          std::span<const InputValue> values) {
  if (values.size() != inputs.size()) {
    throw_usage(std::string(call) + ": takes " + std::to_string(inputs.size()) +
                (inputs.size() == 1 ? " input, " : " inputs, ") + join_names(names_of(inputs)) +
                ", " + std::to_string(values.size()) + " given.");
  }
  std::int64_t size = kNoAny;
  std::size_t sized_by = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputDecl& input = inputs[i];
    if (!type_fits(input.dtype, values[i])) {
      throw_usage(start_of(call, input) + " takes " + std::string(name(input.dtype)) + ", " +
                  kind_name(values[i].kind()) + " values given.");
    }
    if (values[i].kind() == Kind::number) check_number(call, input, values[i].number());
    const std::int64_t here = check_length(call, input, values[i]);
    if (here == kNoAny) continue;
    if (size != kNoAny && size != here) {
      throw_usage(std::string(call) + ": the free sizes disagree, " +
                  quoted(inputs[sized_by].name) + " has " + std::to_string(size) + " and " +
                  quoted(input.name) + " has " + std::to_string(here) + ".");
    }
    if (size == kNoAny) sized_by = i;
    size = here;
  }
  return size;
}

std::vector<InputDecl> with_size(std::span<const InputDecl> inputs, std::int64_t size) {
  std::vector<InputDecl> result(inputs.begin(), inputs.end());
  for (InputDecl& input : result) input.shape = input.shape.with_free(size);
  return result;
}

void write_input(backend::Memory& memory, std::int64_t offset, const InputDecl& input,
                 const InputValue& value, std::vector<std::int32_t>& buffer) {
  const std::size_t count = value.count();
  switch (value.kind()) {
    case Kind::number:
      if (input.dtype == DType::f32) {
        const double number = value.number();
        memory.write(offset, std::span<const double>(&number, 1));
      } else {
        const auto number = static_cast<std::int32_t>(value.number());
        memory.write(offset, std::span<const std::int32_t>(&number, 1));
      }
      break;
    case Kind::f32:
      memory.write(offset, std::span(static_cast<const float*>(value.data()), count));
      break;
    case Kind::f64:
      memory.write(offset, std::span(static_cast<const double*>(value.data()), count));
      break;
    case Kind::i32:
    case Kind::boolean:
      memory.write(offset, std::span(static_cast<const std::int32_t*>(value.data()), count));
      break;
    case Kind::flags: {
      const std::span flags(static_cast<const bool*>(value.data()), count);
      buffer.assign(flags.begin(), flags.end());
      memory.write(offset, std::span<const std::int32_t>(buffer));
      break;
    }
    case Kind::none: throw_internal("an argument without a value");
  }
}

void StagedInputs::stage(std::span<const InputValue> values) {
  bytes_.resize(values.size());
  values_.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const InputValue& value = values[i];
    std::size_t size = 0;
    switch (value.kind()) {
      case Kind::f64: size = sizeof(double); break;
      case Kind::flags: size = sizeof(bool); break;
      case Kind::f32:
      case Kind::i32:
      case Kind::boolean: size = sizeof(float); break;
      default: break;
    }
    bytes_[i].resize(size * value.count());
    if (!bytes_[i].empty()) std::memcpy(bytes_[i].data(), value.data(), bytes_[i].size());
    values_.push_back(value.moved_to(bytes_[i].data()));
  }
}

}  // namespace runtime
}  // namespace tensorgrad

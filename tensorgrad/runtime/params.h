// Handles to the parameters and states of a compiled object, to be shared with another one: the
// same memory, no copy.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tensorgrad/base/shape.h"

namespace tensorgrad {

namespace runtime {
struct Variable;
}

/// One shared parameter or state. Ownership is shared: the memory lives as long as any holder.
class SharedParam {
 public:
  explicit SharedParam(std::shared_ptr<const runtime::Variable> variable)
      : variable_(std::move(variable)) {}
  const Shape& shape() const;
  bool is_state() const;
  const std::shared_ptr<const runtime::Variable>& variable() const { return variable_; }

 private:
  std::shared_ptr<const runtime::Variable> variable_;
};

/// Shared parameters and states by name: what `params()` gives and `.shared_params` takes.
class SharedParams : public std::map<std::string, SharedParam> {
 public:
  using std::map<std::string, SharedParam>::map;
};

/// The map with `prefix` in front of each name.
SharedParams with_prefix(std::string_view prefix, const SharedParams& map);

}  // namespace tensorgrad

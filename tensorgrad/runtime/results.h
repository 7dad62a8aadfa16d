// What calls of compiled objects return. Results own their numbers: a later call never changes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorgrad/io/array.h"

namespace tensorgrad {

/// Arrays by name, in the order in which they were made.
class NamedArrays {
 public:
  using value_type = std::pair<std::string, Array>;

  std::size_t size() const { return arrays_.size(); }
  bool empty() const { return arrays_.empty(); }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// The array of a name; UsageError that lists the known names when there is none.
  const Array& at(std::string_view name) const&;
  Array at(std::string_view name) &&;
  /// By place; UsageError when there are fewer.
  const Array& operator[](std::size_t place) const&;
  Array operator[](std::size_t place) &&;
  /// The names in order.
  std::vector<std::string> names() const;

  void add(std::string name, Array array) {
    arrays_.emplace_back(std::move(name), std::move(array));
  }

 protected:
  explicit NamedArrays(const char* what) : what_(what) {}

 private:
  const Array* find(std::string_view name) const;

  const char* what_;
  std::vector<value_type> arrays_;
};

/// What a forward returned, beside the loss of a training forward.
class Outputs : public NamedArrays {
 public:
  Outputs() : NamedArrays("outputs") {}
};

/// What `capture` marked.
class Captures : public NamedArrays {
 public:
  Captures() : NamedArrays("captures") {}
};

/// Result of a training step or an evaluation.
struct StepResult {
  float loss = 0;
  Outputs outputs;
  std::int64_t step = 0;  ///< updates done before this call
  bool updated = false;   ///< false for an evaluation and for a micro-batch before the last
  double lr = 0;          ///< the rate of this step
  std::optional<float> grad_norm;  ///< before clipping; with `.clip_grad_norm` and an update
  Captures captures;
};

/// Result of an inference call.
struct RunResult {
  Array output;     ///< the first output
  Outputs outputs;  ///< all of them
  Captures captures;
};

}  // namespace tensorgrad

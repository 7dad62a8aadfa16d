// The golden corpus: operator cases with reference values (test/golden/README.md says how they are
// made and compared). Read here into plain data, so that only one file needs the JSON library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/support/evaluate.h"

namespace tensorgrad::test {

/// Attributes of a case, by name; a missing or mistyped one throws std::runtime_error.
class GoldenAttrs {
 public:
  struct Value {
    bool null = false;
    double number = 0;  // also of a boolean
    std::string text;
    std::vector<std::int64_t> numbers;  // of an array
  };
  std::map<std::string, Value> values;

  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;
  bool flag(const std::string& name) const { return number(name) != 0; }
  const std::string& text(const std::string& name) const { return at(name).text; }
  const std::vector<std::int64_t>& integers(const std::string& name) const;
  /// Nothing where the corpus says null.
  std::optional<double> optional_number(const std::string& name) const;
  /// Empty where the corpus says null.
  std::vector<std::int64_t> axes(const std::string& name) const;

 private:
  const Value& at(const std::string& name) const;
};

/// A named tensor of a case.
struct GoldenTensor {
  std::string name;
  HostTensor tensor;
};

struct GoldenCase {
  std::string id, op;
  GoldenAttrs attrs;
  std::vector<GoldenTensor> inputs, outputs;
  std::vector<GoldenTensor> cotangents;  // one per output; empty when no gradient is stored
  std::vector<GoldenTensor> grads;       // named like the input that they belong to
  double atol = 0, rtol = 0, grad_rtol = 0;
  std::vector<double> grad_atol;
};

/// All cases of `folder`, in the order of ops.json.
std::vector<GoldenCase> read_golden_cases(const std::filesystem::path& folder);

}  // namespace tensorgrad::test

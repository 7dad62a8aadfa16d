// Which operator a case of the golden corpus names, and how its attributes are said in the
// interface. One table per family.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensorgrad/ops/tensor.h"
#include "test/golden_corpus.h"

namespace tensorgrad::test {

/// What a builder is given: the inputs of a case by name and its attributes.
class GoldenArgs {
 public:
  GoldenArgs(const GoldenCase& record, const std::vector<Tensor>& inputs)
      : attrs(record.attrs), inputs_(inputs) {
    for (std::size_t i = 0; i < record.inputs.size(); ++i) {
      index_[record.inputs[i].name] = i;
    }
  }
  /// The input of that name, empty where the case leaves it out.
  Tensor optional(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? Tensor() : inputs_[found->second];
  }
  Tensor operator[](const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) throw std::runtime_error("input '" + name + "' is missing");
    return inputs_[found->second];
  }
  /// All inputs, in order.
  const std::vector<Tensor>& all() const { return inputs_; }

  const GoldenAttrs& attrs;

 private:
  const std::vector<Tensor>& inputs_;
  std::map<std::string, std::size_t> index_;
};

using GoldenBuild = std::function<std::vector<Tensor>(const GoldenArgs&)>;
using GoldenTable = std::map<std::string, GoldenBuild>;

void add_elementwise_ops(GoldenTable& table);
void add_axis_ops(GoldenTable& table);
void add_structured_ops(GoldenTable& table);

/// All operators that exist.
inline GoldenTable golden_table() {
  GoldenTable table;
  add_elementwise_ops(table);
  add_axis_ops(table);
  add_structured_ops(table);
  return table;
}

}  // namespace tensorgrad::test

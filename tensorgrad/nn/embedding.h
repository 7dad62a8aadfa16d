// The table of vectors looked up by index.
#pragma once

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad::nn {

/// Rows of weight [vocab, dim] for i32 indices of any shape: the indices' shape followed by dim.
/// The weight starts as normal numbers of variance 1. `table.weight` can be used as an output
/// projection too (tied weights): linear(x, table.weight).
struct Embedding {
  Parameter weight;

  Embedding(Shape::Extent vocab, Shape::Extent dim);
  Tensor operator()(Operand indices) const;
  void fields(auto&& visit) const { visit("weight", weight); }
};

}  // namespace tensorgrad::nn

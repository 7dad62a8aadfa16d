// The table of vectors looked up by index.
#include "tensorgrad/nn/embedding.h"

#include "tensorgrad/ops/indexing.h"

namespace tensorgrad::nn {

Embedding::Embedding(Shape::Extent vocab, Shape::Extent dim)
    : weight({vocab, dim}, init::normal(0, 1)) {}

Tensor Embedding::operator()(Operand indices) const {
  const Location at = indices.location();
  return embedding(Operand(static_cast<Tensor>(weight), at.file, at.line), indices.tensor());
}

}  // namespace tensorgrad::nn

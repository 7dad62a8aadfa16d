// oneDNN primitives shared by shape: making one costs 0.2 to 0.4 ms, and the kernels of a program,
// or of two variants of it, mostly repeat a dozen shapes.
#pragma once

#include <memory>

#include "tensorgrad/backend/cpu/dnnl_conv.h"
#include "tensorgrad/backend/cpu/dnnl_matmul.h"

namespace tensorgrad::cpu {

/// The primitive for this shape (pointers are ignored), or null where the library's own product is
/// the better or only choice. It lives until its last holder lets go of it.
std::shared_ptr<const DnnlMatmul> shared_dnnl_matmul(const GemmArgs<float>& shape);

/// The same for a convolution; null where oneDNN is absent or refuses the shape.
std::shared_ptr<const DnnlConv> shared_dnnl_conv(const ConvShape& shape);

}  // namespace tensorgrad::cpu

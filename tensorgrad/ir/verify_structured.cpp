// Contractions, windows and index operators.
#include "tensorgrad/ir/verify_internal.h"

namespace tensorgrad::ir::verify_internal {
namespace {

std::string check_matmul(const Subject& s) {
  const Shape &a = s.shape(0), &b = s.shape(1);
  const std::size_t n = a.size();
  if (n < 2 || b.size() != n) return "its operands are no matrices of equal rank";
  for (std::size_t k = 0; k + 2 < n; ++k) {
    if (a[k] != b[k]) return "the batch axes of its operands differ";
  }
  if (a[n - 1] != b[n - 2]) return "its inner sizes differ";
  Shape shape = a;
  shape[n - 1] = b[n - 1];
  return expect(s, {f32, shape});
}

/// The relations of a convolution between input [N,C,H,W], weight [O,C/g,KH,KW] and output.
std::string check_conv(const Conv2dAttrs& conv, const Shape& input, const Shape& weight,
                       const Shape& output) {
  if (input.size() != 4 || weight.size() != 4 || output.size() != 4)
    return "four axes are expected";
  if (conv.groups < 1 || input[1] != weight[1] * conv.groups || weight[0] % conv.groups != 0) {
    return "its groups do not divide the channels";
  }
  if (output[0] != input[0] || output[1] != weight[0]) return "its batch or channels differ";
  for (std::size_t k = 0; k < 2; ++k) {
    if (conv.stride[k] < 1 || conv.dilation[k] < 1 || conv.padding[k] < 0) {
      return "a setting is out of range";
    }
    const std::int64_t reach = conv.dilation[k] * (weight[k + 2] - 1) + 1;
    const std::int64_t room = input[k + 2] + 2 * conv.padding[k] - reach;
    if (room < 0 || output[k + 2] != room / conv.stride[k] + 1) {
      return "its extents do not follow from stride, padding and dilation";
    }
  }
  return {};
}

std::string check_pool(const Pool2dAttrs& pool, const Shape& input, const Shape& output) {
  if (input.size() != 4 || output.size() != 4) return "four axes are expected";
  if (output[0] != input[0] || output[1] != input[1]) return "its batch or channels differ";
  for (std::size_t k = 0; k < 2; ++k) {
    if (pool.kernel[k] < 1 || pool.stride[k] < 1 || pool.padding[k] < 0) {
      return "a setting is out of range";
    }
    const std::int64_t room = input[k + 2] + 2 * pool.padding[k] - pool.kernel[k];
    if (room < 0 || output[k + 2] != room / pool.stride[k] + 1) {
      return "its extents do not follow from kernel, stride and padding";
    }
  }
  return {};
}

bool differ_only_on(const Shape& a, const Shape& b, std::size_t axis) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (k != axis && a[k] != b[k]) return false;
  }
  return true;
}

}  // namespace

std::string check_contract(const Subject& s) {
  if (s.arity() != 2) return "two operands are expected";
  if (s.input(0).dtype != f32 || s.input(1).dtype != f32 || s.node.type.dtype != f32) {
    return "f32 is expected";
  }
  if (s.node.op == Opcode::matmul) return check_matmul(s);
  const auto* conv = s.attrs<Conv2dAttrs>();
  if (conv == nullptr) return "settings of a convolution are expected";
  const Shape& result = s.node.shape();
  switch (s.node.op) {
    case Opcode::conv2d: return check_conv(*conv, s.shape(0), s.shape(1), result);
    case Opcode::conv2d_grad_input: return check_conv(*conv, result, s.shape(1), s.shape(0));
    case Opcode::conv2d_grad_weight: return check_conv(*conv, s.shape(0), result, s.shape(1));
    default: return "the contraction has no rule";
  }
}

std::string check_window(const Subject& s) {
  const auto* pool = s.attrs<Pool2dAttrs>();
  if (pool == nullptr) return "settings of a window are expected";
  const bool backward = s.node.op == Opcode::max_pool2d_grad;
  if (s.arity() != (backward ? 2u : 1u)) return "the number of operands is wrong";
  if (s.input(0).dtype != f32) return "f32 is expected";
  const DType dtype = s.node.op == Opcode::max_pool2d_index ? i32 : f32;
  if (s.node.type.dtype != dtype) return expect(s, {dtype, s.node.shape()});
  if (!backward) return check_pool(*pool, s.shape(0), s.node.shape());
  if (s.input(1) != Type{i32, s.shape(0)}) return "its positions do not match the cotangent";
  return check_pool(*pool, s.node.shape(), s.shape(0));
}

std::string check_index(const Subject& s) {
  const auto* along = s.attrs<AxisAttrs>();
  const bool adds = s.node.op == Opcode::index_add || s.node.op == Opcode::scatter_add;
  if (s.arity() != (adds ? 3u : 2u)) return "the number of operands is wrong";
  const Type &x = s.input(0), &indices = s.input(1);
  if (along == nullptr || along->axis < 0 || along->axis >= x.shape.ndim()) {
    return "its axis is out of range";
  }
  if (indices.dtype != i32) return "its indices are no i32";
  const auto axis = static_cast<std::size_t>(along->axis);
  Shape picked = x.shape;
  if (s.node.op == Opcode::index_select || s.node.op == Opcode::index_add) {
    if (indices.shape.size() != 1) return "its indices are no vector";
    picked[axis] = indices.shape[0];
  } else {
    if (!differ_only_on(x.shape, indices.shape, axis))
      return "its indices do not match the operand";
    picked = indices.shape;
  }
  if (!adds) return expect(s, {x.dtype, picked});
  if (s.input(2) != Type{x.dtype, picked}) return "what it adds does not match its indices";
  return expect(s, x);
}

}  // namespace tensorgrad::ir::verify_internal

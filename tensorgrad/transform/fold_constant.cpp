// Constants: carried through views, and through arithmetic that is exact in f32 (and so in float64
// as well). An inexact result is left to the kernel, which rounds it as the user's program would.
#include <bit>
#include <cmath>

#include "tensorgrad/transform/fold_internal.h"

namespace tensorgrad::transform::fold_internal {
namespace {

using ir::Opcode;

constexpr double kLowest = -2147483648.0, kHighest = 2147483647.0;

/// The result when it is the same number in f32 and float64 (or, for i32, does not wrap).
std::optional<Folded> exact(DType dtype, double value) {
  if (std::isnan(value)) return {};
  if (dtype == i32) {
    return value >= kLowest && value <= kHighest ? std::optional(filled(value)) : std::nullopt;
  }
  return std::isinf(value) || is_f32(value) ? std::optional(filled(value)) : std::nullopt;
}

std::optional<Folded> arithmetic(Opcode op, DType dtype, double a, double b) {
  switch (op) {
    case Opcode::add: return exact(dtype, a + b);
    case Opcode::sub: return exact(dtype, a - b);
    case Opcode::mul: return exact(dtype, a * b);
    case Opcode::div: {
      const double quotient = a / b;
      // A quotient that float64 rounds to an f32 number need not be that number.
      if (std::isfinite(quotient) && std::fma(quotient, b, -a) != 0) return {};
      return exact(dtype, quotient);
    }
    case Opcode::less: return filled(a < b);
    case Opcode::less_equal: return filled(a <= b);
    case Opcode::greater: return filled(a > b);
    case Opcode::greater_equal: return filled(a >= b);
    case Opcode::equal: return filled(a == b);
    case Opcode::not_equal: return filled(a != b);
    case Opcode::logical_and: return filled(a != 0 && b != 0);
    case Opcode::logical_or: return filled(a != 0 || b != 0);
    default: return {};
  }
}

/// A sum or product that float64 rounded is not exact: found by undoing it.
bool was_rounded(Opcode op, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  if (op == Opcode::mul) return std::fma(a, b, -(a * b)) != 0;
  if (op == Opcode::sub) b = -b;
  if (op != Opcode::add && op != Opcode::sub) return false;
  const double sum = a + b, part = sum - a;
  return (a - (sum - part)) + (b - part) != 0;
}

std::optional<Folded> convert(const ir::Node& node, DType from, double value) {
  if (node.type.dtype == boolean) return filled(value != 0);
  if (node.type.dtype == f32) return exact(f32, value);
  if (from == boolean) return filled(value);
  const double whole = std::trunc(value);
  if (!(whole >= kLowest && whole <= kHighest)) return {};
  return filled(whole);
}

}  // namespace

std::optional<Folded> fold_constant(const ir::Graph& graph, const ir::Node& node) {
  if (node.inputs.empty()) return {};
  const std::optional<double> a = constant_value(graph, node.inputs[0]);
  if (!a) return {};
  const DType dtype = graph[node.inputs[0]].type.dtype;
  switch (ir::family(node.op)) {
    case ir::Family::view:
      if (node.op == Opcode::pad) {
        const double border = std::get<ir::PadAttrs>(node.attrs).value;
        if (std::bit_cast<std::uint64_t>(border) != std::bit_cast<std::uint64_t>(*a)) return {};
      }
      return filled(*a);
    case ir::Family::join:
      for (ir::NodeId input : node.inputs) {
        const std::optional<double> other = constant_value(graph, input);
        if (!other || std::bit_cast<std::uint64_t>(*other) != std::bit_cast<std::uint64_t>(*a)) {
          return {};
        }
      }
      return filled(*a);
    case ir::Family::convert:
      if (dtype == f32 && !is_f32(*a)) return {};
      return convert(node, dtype, *a);
    case ir::Family::logical_unary: return filled(*a == 0);
    case ir::Family::unary:
      if (std::isnan(*a)) return {};
      if (node.op == Opcode::abs) return exact(dtype, std::abs(*a));
      if (node.op == Opcode::neg) return exact(dtype, dtype == i32 ? 0 - *a : -*a);
      return {};
    case ir::Family::binary:
    case ir::Family::compare:
    case ir::Family::logical_binary: {
      const std::optional<double> b = constant_value(graph, node.inputs[1]);
      if (!b) return {};
      if (dtype == f32 && !(is_f32(*a) && is_f32(*b))) return {};
      if (was_rounded(node.op, *a, *b)) return {};
      return arithmetic(node.op, node.type.dtype, *a, *b);
    }
    default: return {};
  }
}

}  // namespace tensorgrad::transform::fold_internal

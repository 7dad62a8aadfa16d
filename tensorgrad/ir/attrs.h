// Attributes of nodes: plain structs with equality in one variant, so that common-subexpression
// elimination is a comparison. An operator uses at most one of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace tensorgrad::ir {

class GradientRule;  // the rule of a custom_gradient node; defined in ops/custom.h

/// Index of an input, parameter or state in the graph's tables, or of a step scalar.
struct SourceAttrs {
  int index = 0;
  friend bool operator==(const SourceAttrs&, const SourceAttrs&) = default;
};
/// constant: the number in every element (for bool, 0 or 1). Equality is by bits: NaN equals NaN.
struct ConstantAttrs {
  double value = 0;
  friend bool operator==(const ConstantAttrs& a, const ConstantAttrs& b);
};
/// literal: row-major data; compared by identity.
struct LiteralAttrs {
  std::shared_ptr<const std::vector<double>> data;
  friend bool operator==(const LiteralAttrs&, const LiteralAttrs&) = default;
};
/// One axis: iota, concat, index operators (the indexed axis).
struct AxisAttrs {
  int axis = 0;
  friend bool operator==(const AxisAttrs&, const AxisAttrs&) = default;
};
/// Several axes: reductions (sorted; kept with extent 1), flip, and permute (output axis k is input
/// axis axes[k]).
struct AxesAttrs {
  std::vector<int> axes;
  friend bool operator==(const AxesAttrs&, const AxesAttrs&) = default;
};
/// narrow: elements start, start + step, … of the axis; the length is in the node's shape.
struct NarrowAttrs {
  int axis = 0;
  std::int64_t start = 0;
  std::int64_t step = 1;
  friend bool operator==(const NarrowAttrs&, const NarrowAttrs&) = default;
};
/// pad: elements added before and after each axis, and their value (compared by bits).
struct PadAttrs {
  std::vector<std::int64_t> low, high;
  double value = 0;
  friend bool operator==(const PadAttrs& a, const PadAttrs& b);
};
/// cumsum: the axis, and whether it runs from the end.
struct ScanAttrs {
  int axis = 0;
  bool reverse = false;
  friend bool operator==(const ScanAttrs&, const ScanAttrs&) = default;
};
/// random_uniform: ordinal of the operator in its trace (part of the key); never merged.
struct RandomAttrs {
  std::int64_t ordinal = 0;
  friend bool operator==(const RandomAttrs&, const RandomAttrs&) = default;
};
/// Convolutions, per spatial axis (h, w).
struct Conv2dAttrs {
  std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
  friend bool operator==(const Conv2dAttrs&, const Conv2dAttrs&) = default;
};
/// Windows, per spatial axis (h, w).
struct Pool2dAttrs {
  std::array<std::int64_t, 2> kernel{1, 1}, stride{1, 1}, padding{0, 0};
  friend bool operator==(const Pool2dAttrs&, const Pool2dAttrs&) = default;
};
/// Runs of an arena: which run; `slot` is the optimizer moment.
struct RunAttrs {
  int run = 0;
  int slot = 0;
  friend bool operator==(const RunAttrs&, const RunAttrs&) = default;
};
/// custom_gradient: the rule; compared by identity.
struct CustomAttrs {
  std::shared_ptr<const GradientRule> rule;
  friend bool operator==(const CustomAttrs&, const CustomAttrs&) = default;
};

using Attrs = std::variant<std::monostate, SourceAttrs, ConstantAttrs, LiteralAttrs, AxisAttrs,
                           AxesAttrs, NarrowAttrs, PadAttrs, ScanAttrs, RandomAttrs, Conv2dAttrs,
                           Pool2dAttrs, RunAttrs, CustomAttrs>;

}  // namespace tensorgrad::ir

// A direct evaluator of small graphs for tests, in float or double: one loop per operator over
// row-major data, nothing shared with the backends but the rows of the op tables.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/scalar.h"

namespace tensorgrad {

template <class T>
class Evaluator {
 public:
  using Values = std::vector<T>;  // i32 and bool are kept as numbers of T

  Evaluator(const ir::Graph& graph, std::vector<Values> inputs)
      : graph_(graph), inputs_(std::move(inputs)), values_(graph.size()) {}

  const Values& at(ir::NodeId id) {
    for (; done_ <= id; ++done_) values_[static_cast<std::size_t>(done_)] = compute(graph_[done_]);
    return values_[static_cast<std::size_t>(id)];
  }

 private:
  using Opcode = ir::Opcode;
  using Index = std::vector<std::int64_t>;

  const Values& in(const ir::Node& node, std::size_t k) const {
    return values_[static_cast<std::size_t>(node.inputs[k])];
  }
  const Shape& shape(const ir::Node& node, std::size_t k) const {
    return graph_[node.inputs[k]].shape();
  }

  /// Calls f(index, place) for every element of a shape.
  template <class F>
  static void each(const Shape& shape, F&& f) {
    Index index(shape.size(), 0);
    const std::int64_t count = shape.numel();
    for (std::int64_t place = 0; place < count; ++place) {
      f(index, static_cast<std::size_t>(place));
      for (std::size_t k = shape.size(); k-- > 0;) {
        if (++index[k] < shape[k]) break;
        index[k] = 0;
      }
    }
  }
  static std::size_t place(const Shape& shape, const Index& index) {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) at = at * shape[k] + index[k];
    return static_cast<std::size_t>(at);
  }

  static T row(Opcode op, T a, T b, T c) {
    namespace scalar = kernel::scalar;
    [[maybe_unused]] const T x = a;
    if (op == Opcode::logical_not) return a == 0;
    if (op == Opcode::logical_and) return a != 0 && b != 0;
    if (op == Opcode::logical_or) return a != 0 || b != 0;
    if (op == Opcode::where) return a != 0 ? b : c;
#define TG_UNARY(name, doc, value, ...) \
  if (op == Opcode::name) return static_cast<T>(value);
#define TG_UNARY_ARITHMETIC(name, doc, value, ...) TG_UNARY(name, doc, value)
#define TG_BINARY(name, doc, value, ...) TG_UNARY(name, doc, value)
#define TG_BINARY_ARITHMETIC(name, doc, value, ...) TG_UNARY(name, doc, value)
#define TG_COMPARE(name, doc, value) TG_UNARY(name, doc, value)
#define TG_TERNARY(name, doc, value, ...) TG_UNARY(name, doc, value)
#include "tensorgrad/ir/elementwise.def"
    throw_internal("no row");
  }
  static T start(Opcode op) {
    namespace scalar = kernel::scalar;
#define TG_REDUCTION(name, doc, identity, combine, ...) \
  if (op == Opcode::name) return static_cast<T>(identity);
#include "tensorgrad/ir/reduction.def"
    throw_internal("no reduction");
  }
  static T combine(Opcode op, T a, T b) {
    namespace scalar = kernel::scalar;
#define TG_REDUCTION(name, doc, identity, combine, ...) \
  if (op == Opcode::name) return combine;
#include "tensorgrad/ir/reduction.def"
    throw_internal("no reduction");
  }

  Values reduce(const ir::Node& node) {
    Values out(static_cast<std::size_t>(node.shape().numel()), start(node.op));
    each(shape(node, 0), [&](Index index, std::size_t from) {
      for (int axis : std::get<ir::AxesAttrs>(node.attrs).axes)
        index[static_cast<std::size_t>(axis)] = 0;
      T& sum = out[place(node.shape(), index)];
      sum = combine(node.op, sum, in(node, 0)[from]);
    });
    return out;
  }

  Values scan(const ir::Node& node) {
    const auto& attrs = std::get<ir::ScanAttrs>(node.attrs);
    const auto axis = static_cast<std::size_t>(attrs.axis);
    Values out = in(node, 0);
    each(node.shape(), [&](Index index, std::size_t to) {
      T sum = 0;
      const std::int64_t here = index[axis];
      const std::int64_t first = attrs.reverse ? here : 0;
      const std::int64_t last = attrs.reverse ? node.shape()[axis] - 1 : here;
      for (index[axis] = first; index[axis] <= last; ++index[axis]) {
        sum += in(node, 0)[place(node.shape(), index)];
      }
      out[to] = sum;
    });
    return out;
  }

  Values view(const ir::Node& node) {
    const Shape& from = shape(node, 0);
    if (node.op == Opcode::reshape) return in(node, 0);
    Values out(static_cast<std::size_t>(node.shape().numel()));
    each(node.shape(), [&](const Index& index, std::size_t to) {
      Index source = index;
      bool inside = true;
      for (std::size_t k = 0; k < index.size(); ++k) {
        if (const auto* axes = std::get_if<ir::AxesAttrs>(&node.attrs)) {
          const auto axis = static_cast<std::size_t>(axes->axes[k < axes->axes.size() ? k : 0]);
          if (node.op == Opcode::permute) source[axis] = index[k];
          if (node.op == Opcode::flip && k < axes->axes.size())
            source[axis] = from[axis] - 1 - index[axis];
        }
        if (node.op == Opcode::broadcast_to && from[k] == 1) source[k] = 0;
        if (const auto* pad = std::get_if<ir::PadAttrs>(&node.attrs)) {
          source[k] -= pad->low[k];
          inside &= source[k] >= 0 && source[k] < from[k];
        }
      }
      if (const auto* narrow = std::get_if<ir::NarrowAttrs>(&node.attrs)) {
        std::int64_t& at = source[static_cast<std::size_t>(narrow->axis)];
        at = narrow->start + at * narrow->step;
      }
      out[to] = inside ? in(node, 0)[place(from, source)]
                       : static_cast<T>(std::get<ir::PadAttrs>(node.attrs).value);
    });
    return out;
  }

  Values join(const ir::Node& node) {
    const auto axis = static_cast<std::size_t>(std::get<ir::AxisAttrs>(node.attrs).axis);
    Values out(static_cast<std::size_t>(node.shape().numel()));
    std::int64_t start = 0;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      each(shape(node, k), [&](Index index, std::size_t from) {
        index[axis] += start;
        out[place(node.shape(), index)] = in(node, k)[from];
      });
      start += shape(node, k)[axis];
    }
    return out;
  }

  Values compute(const ir::Node& node) {
    const auto count = static_cast<std::size_t>(node.shape().numel());
    if (ir::is_elementwise(node.op)) {
      Values out(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto operand = [&](std::size_t k) {
          return k < node.inputs.size() ? in(node, k)[i] : T(0);
        };
        out[i] = row(node.op, operand(0), operand(1), operand(2));
      }
      return out;
    }
    switch (ir::family(node.op)) {
      case ir::Family::reduction: return reduce(node);
      case ir::Family::scan: return scan(node);
      case ir::Family::view: return view(node);
      case ir::Family::join: return join(node);
      case ir::Family::identity: return in(node, 0);
      case ir::Family::convert: {
        Values out = in(node, 0);
        for (T& value : out) {
          if (node.type.dtype == i32) value = std::trunc(value);
          if (node.type.dtype == boolean) value = value != 0;
        }
        return out;
      }
      default: break;
    }
    switch (node.op) {
      case Opcode::input:
        return inputs_[static_cast<std::size_t>(std::get<ir::SourceAttrs>(node.attrs).index)];
      case Opcode::constant:
        return Values(count, static_cast<T>(std::get<ir::ConstantAttrs>(node.attrs).value));
      case Opcode::literal: {
        const std::vector<double>& data = *std::get<ir::LiteralAttrs>(node.attrs).data;
        return Values(data.begin(), data.end());
      }
      case Opcode::iota: {
        Values out(count);
        each(node.shape(), [&](const Index& index, std::size_t to) {
          out[to] = static_cast<T>(
              index[static_cast<std::size_t>(std::get<ir::AxisAttrs>(node.attrs).axis)]);
        });
        return out;
      }
      default: throw_internal("the evaluator lacks " + std::string(ir::name(node.op)));
    }
  }

  const ir::Graph& graph_;
  std::vector<Values> inputs_;
  std::vector<Values> values_;
  ir::NodeId done_ = 0;
};

}  // namespace tensorgrad

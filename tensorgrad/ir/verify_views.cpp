// Sources, identities, views, joins and scans.
#include <algorithm>

#include "tensorgrad/ir/verify_internal.h"

namespace tensorgrad::ir::verify_internal {
namespace {

bool within(int index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

std::string check_named_source(const Subject& s) {
  const auto* source = s.attrs<SourceAttrs>();
  if (source == nullptr) return "an index is expected";
  const int index = source->index;
  const auto place = static_cast<std::size_t>(index);
  switch (s.node.op) {
    case Opcode::input:
      if (!within(index, s.graph.inputs.size())) return "there is no such input";
      return expect(s, s.graph.inputs[place].type);
    case Opcode::parameter:
    case Opcode::gradient_store:
      if (!within(index, s.graph.parameters.size())) return "there is no such parameter";
      return expect(s, {f32, s.graph.parameters[place].shape});
    case Opcode::state:
      if (!within(index, s.graph.states.size())) return "there is no such state";
      return expect(s, {f32, s.graph.states[place].shape});
    default: return index < 0 ? "its index is negative" : expect(s, {f32, {}});
  }
}

std::string check_run(const Subject& s) {
  const auto* run = s.attrs<RunAttrs>();
  if (run == nullptr || !within(run->run, s.graph.arena.runs.size())) return "there is no such run";
  const ArenaRun& range = s.graph.arena.runs[static_cast<std::size_t>(run->run)];
  return expect(s, {f32, {range.end - range.begin}});
}

std::string check_permute(const Subject& s) {
  const auto* order = s.attrs<AxesAttrs>();
  if (order == nullptr) return "axes are expected";
  std::vector<int> sorted = order->axes;
  std::sort(sorted.begin(), sorted.end());
  if (static_cast<int>(sorted.size()) != s.shape(0).ndim() ||
      !are_axes(sorted, s.shape(0).ndim())) {
    return "its axes are no permutation";
  }
  Shape shape = s.shape(0);
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    shape[k] = s.shape(0)[static_cast<std::size_t>(order->axes[k])];
  }
  return expect(s, {s.input(0).dtype, shape});
}

std::string check_narrow(const Subject& s) {
  const auto* narrow = s.attrs<NarrowAttrs>();
  const Shape& from = s.shape(0);
  if (narrow == nullptr || !within(narrow->axis, from.size())) return "its axis is out of range";
  const auto axis = static_cast<std::size_t>(narrow->axis);
  if (s.node.shape().size() != from.size()) return "its rank differs from its operand's";
  const std::int64_t length = s.node.shape()[axis];
  const std::int64_t last = narrow->start + (length - 1) * narrow->step;
  if (narrow->step < 1 || narrow->start < 0 || narrow->start > from[axis] ||
      (length > 0 && last >= from[axis])) {
    return "its range leaves the axis";
  }
  Shape shape = from;
  shape[axis] = length;
  return expect(s, {s.input(0).dtype, shape});
}

std::string check_pad(const Subject& s) {
  const auto* pad = s.attrs<PadAttrs>();
  Shape shape = s.shape(0);
  if (pad == nullptr || pad->low.size() != shape.size() || pad->high.size() != shape.size()) {
    return "a width per axis is expected";
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (pad->low[k] < 0 || pad->high[k] < 0) return "a width is negative";
    shape[k] += pad->low[k] + pad->high[k];
  }
  return expect(s, {s.input(0).dtype, shape});
}

}  // namespace

std::string check_source(const Subject& s) {
  if (family(s.node.op) == Family::source && s.arity() != 0) return "a source has no operands";
  switch (s.node.op) {
    case Opcode::constant: return s.attrs<ConstantAttrs>() ? "" : "a number is expected";
    case Opcode::literal: {
      const auto* literal = s.attrs<LiteralAttrs>();
      if (literal == nullptr || !literal->data) return "data is expected";
      return static_cast<std::int64_t>(literal->data->size()) == s.node.shape().numel()
                 ? ""
                 : "it has another number of elements than its data";
    }
    case Opcode::iota: {
      const auto* along = s.attrs<AxisAttrs>();
      if (along == nullptr || !within(along->axis, s.node.shape().size())) {
        return "its axis is out of range";
      }
      return expect(s, {i32, s.node.shape()});
    }
    case Opcode::random_uniform:
      return s.attrs<RandomAttrs>() ? expect(s, {f32, s.node.shape()}) : "an ordinal is expected";
    case Opcode::parameter_run:
    case Opcode::moment_run:
    case Opcode::gradient_run: return check_run(s);
    default: return check_named_source(s);
  }
}

std::string check_identity(const Subject& s) {
  if (s.arity() < 1 || (s.arity() > 1 && s.node.op != Opcode::custom_gradient)) {
    return "the number of operands is wrong";
  }
  if (s.node.op == Opcode::cast) return expect(s, {s.node.type.dtype, s.shape(0)});
  return expect(s, s.input(0));
}

std::string check_view(const Subject& s) {
  if (s.arity() != 1) return "one operand is expected";
  const Shape& from = s.shape(0);
  const DType dtype = s.input(0).dtype;
  switch (s.node.op) {
    case Opcode::reshape:
      if (s.node.shape().numel() != from.numel()) return "the number of elements differs";
      return expect(s, {dtype, s.node.shape()});
    case Opcode::permute: return check_permute(s);
    case Opcode::broadcast_to: {
      const Shape& shape = s.node.shape();
      if (shape.size() != from.size()) return "its rank differs from its operand's";
      for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] != from[k] && from[k] != 1)
          return "an axis other than of extent 1 is repeated";
      }
      return expect(s, {dtype, shape});
    }
    case Opcode::narrow: return check_narrow(s);
    case Opcode::flip: {
      const auto* flipped = s.attrs<AxesAttrs>();
      if (flipped == nullptr || !are_axes(flipped->axes, from.ndim())) {
        return "its axes are not sorted or out of range";
      }
      return expect(s, s.input(0));
    }
    case Opcode::pad: return check_pad(s);
    default: return "the view has no rule";
  }
}

std::string check_join(const Subject& s) {
  const auto* along = s.attrs<AxisAttrs>();
  if (s.arity() == 0) return "operands are expected";
  Shape shape = s.shape(0);
  if (along == nullptr || !within(along->axis, shape.size())) return "its axis is out of range";
  const auto axis = static_cast<std::size_t>(along->axis);
  for (std::size_t k = 1; k < s.arity(); ++k) {
    Shape other = s.shape(k);
    if (s.input(k).dtype != s.input(0).dtype || other.size() != shape.size()) {
      return "its operands do not fit";
    }
    shape[axis] += other[axis];
    other[axis] = shape[axis];
    if (other != shape) return "its operands do not fit";
  }
  return expect(s, {s.input(0).dtype, shape});
}

std::string check_scan(const Subject& s) {
  const auto* scan = s.attrs<ScanAttrs>();
  if (s.arity() != 1) return "one operand is expected";
  if (scan == nullptr || !within(scan->axis, s.shape(0).size())) return "its axis is out of range";
  if (s.input(0).dtype == boolean) return "it does not take bool";
  return expect(s, s.input(0));
}

}  // namespace tensorgrad::ir::verify_internal

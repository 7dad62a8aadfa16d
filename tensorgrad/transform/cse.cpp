// Value numbering in one walk: inputs are merged before their readers, so equal subgraphs meet.
#include "tensorgrad/transform/cse.h"

#include <bit>
#include <unordered_map>

#include "tensorgrad/ir/rewrite.h"

namespace tensorgrad::transform {
namespace {

class Hash {
 public:
  template <class I>
  requires(std::is_integral_v<I> || std::is_enum_v<I>) void mix(I value) {
    state_ = (state_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
  }
  void mix(double value) { mix(std::bit_cast<std::uint64_t>(value)); }
  template <class T>
  void mix(const std::vector<T>& values) {
    mix(values.size());
    for (const T& value : values) mix(value);
  }
  // Attributes: a collision costs a comparison, so the rarer ones only count by their kind.
  void mix(const ir::SourceAttrs& a) { mix(a.index); }
  void mix(const ir::ConstantAttrs& a) { mix(a.value); }
  void mix(const ir::AxisAttrs& a) { mix(a.axis); }
  void mix(const ir::AxesAttrs& a) { mix(a.axes); }
  void mix(const ir::NarrowAttrs& a) {
    mix(a.axis);
    mix(a.start);
    mix(a.step);
  }
  void mix(const ir::RandomAttrs& a) { mix(a.ordinal); }
  template <class Other>
  requires std::is_class_v<Other>
  void mix(const Other&) {}

  std::size_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3u;
};

std::size_t hash_of(const ir::Node& node) {
  Hash hash;
  hash.mix(node.op);
  hash.mix(node.type.dtype);
  hash.mix(node.type.shape.extents());
  hash.mix(node.inputs);
  hash.mix(node.attrs.index());
  std::visit([&](const auto& attrs) { hash.mix(attrs); }, node.attrs);
  return hash.value();
}

bool same_value(const ir::Node& a, const ir::Node& b) {
  return a.op == b.op && a.type == b.type && a.inputs == b.inputs && a.attrs == b.attrs;
}

}  // namespace

ir::Graph cse(const ir::Graph& graph) {
  ir::Rewriter rewriter(graph);
  std::unordered_multimap<std::size_t, ir::NodeId> known;
  known.reserve(graph.size());
  for (ir::NodeId id = 0; id < static_cast<ir::NodeId>(graph.size()); ++id) {
    ir::Node node = rewriter.with_mapped_inputs(id);
    const std::size_t hash = hash_of(node);
    ir::NodeId same = ir::kNoNode;
    const auto [begin, end] = known.equal_range(hash);
    for (auto it = begin; it != end && same == ir::kNoNode; ++it) {
      if (same_value(rewriter.result()[it->second], node)) same = it->second;
    }
    if (same == ir::kNoNode) {
      same = rewriter.result().add(std::move(node));
      known.emplace(hash, same);
    }
    rewriter.map(id, same);
  }
  return rewriter.finish();
}

}  // namespace tensorgrad::transform

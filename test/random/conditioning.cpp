#include "test/random/conditioning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "tensorgrad/ir/rewrite.h"
#include "test/random/builder.h"

namespace tensorgrad::test {
namespace {

using ir::Node;
using ir::NodeId;
using ir::Opcode;

// The value is rounded to the precision of the evaluation. What only chooses or moves elements is
// exact and must stay so: a maximum has to remain equal to one of its operands.
bool is_rounded(const Node& node) {
  if (node.type.dtype != f32) return false;
  switch (node.op) {
    case Opcode::constant: {
      const double value = std::get<ir::ConstantAttrs>(node.attrs).value;
      return static_cast<double>(static_cast<float>(value)) != value;
    }
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::sign:
    case Opcode::relu:
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::round:
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::mask_zero:
    case Opcode::clamp_between:
    case Opcode::where:
    case Opcode::max:
    case Opcode::min:
    case Opcode::literal:
    case Opcode::concat:
    case Opcode::max_pool2d:
    case Opcode::index_select:
    case Opcode::take_along_axis: return false;
    default: break;
  }
  const ir::Family family = ir::family(node.op);
  return family != ir::Family::view && family != ir::Family::convert &&
         family != ir::Family::identity;
}

}  // namespace

ir::Graph perturbed(const ir::Graph& graph, double amplitude, std::uint64_t seed) {
  Rng rng(seed);
  ir::Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const NodeId value = rewriter.copy(id);
    if (!is_rounded(graph[id])) continue;
    const Type& type = graph[id].type;
    auto factors = std::make_shared<std::vector<double>>();
    for (std::int64_t k = 0; k < type.shape.numel(); ++k) {
      factors->push_back(1 + amplitude * rng.between(-1.0, 1.0));
    }
    ir::Graph& result = rewriter.result();
    const NodeId literal = result.add({Opcode::literal, type, {}, ir::LiteralAttrs{factors}, {}});
    rewriter.map(id, result.add({Opcode::mul, type, {value, literal}, {}, {}}));
  }
  return rewriter.finish();
}

std::vector<std::vector<double>> spread(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                        std::span<const HostTensor> exact, double amplitude,
                                        int samples, std::uint64_t seed, const Mode& mode) {
  std::vector<std::vector<double>> distances;
  for (const HostTensor& tensor : exact) distances.emplace_back(tensor.data.size(), 0.0);
  Mode plain = mode;
  plain.fused = false;
  plain.precision = backend::Precision::f64;
  for (int sample = 0; sample < samples; ++sample) {
    const ir::Graph moved = perturbed(graph, amplitude, seed + static_cast<std::uint64_t>(sample));
    const std::vector<HostTensor> results = evaluate(moved, inputs, plain);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      for (std::size_t i = 0; i < exact[k].data.size(); ++i) {
        const double distance = std::abs(results[k].data[i] - exact[k].data[i]);
        // What leaves the finite range in a sample is bounded by nothing.
        distances[k][i] = std::isfinite(distance) ? std::max(distances[k][i], distance)
                                                  : std::numeric_limits<double>::infinity();
      }
    }
  }
  return distances;
}

}  // namespace tensorgrad::test

#include "test/random/random_graph.h"

#include <algorithm>

#include "tensorgrad/ops/trace.h"
#include "tensorgrad/transform/grad.h"
#include "test/random/builder.h"

namespace tensorgrad::test {
namespace {

using ir::Node;
using ir::NodeId;

// Shapes that meet often: a few extents per graph, and ones.
std::vector<Type> input_types(Rng& rng, int parameters, int data) {
  const std::vector<std::int64_t> pool{2, 3, 4, 5, 6, 7, 9};
  const std::vector<std::int64_t> extents{rng.of(pool), rng.of(pool), rng.of(pool)};
  std::vector<Type> types;
  for (int i = 0; i < parameters + data; ++i) {
    const std::int64_t ndim = rng.between(std::int64_t{i == 0 ? 2 : 1}, std::int64_t{i % 2 + 2});
    Shape shape;
    for (std::int64_t k = 0; k < ndim; ++k) {
      shape.push_back(rng.chance(0.2) ? 1 : rng.of(extents));
    }
    types.push_back({f32, shape});
  }
  types.push_back({i32, {12}});
  return types;
}

HostTensor random_input(Rng& rng, const Type& type) {
  std::vector<double> data;
  for (std::int64_t i = 0; i < type.shape.numel(); ++i) {
    data.push_back(type.dtype == i32
                       ? static_cast<double>(rng.below(6))
                       : static_cast<double>(static_cast<float>(rng.between(-1.3, 1.3))));
  }
  return host(type.shape, std::move(data), type.dtype);
}

// Looks at the forward: the nodes before `end`, of which inputs 0 … parameters - 1 are parameters.
void describe(const ir::Graph& graph, std::size_t end, int parameters, Traits& traits) {
  traits.nodes = static_cast<int>(end);
  std::vector<bool> reduced(end, false);
  std::vector<int> readers(end, 0);
  for (std::size_t i = 0; i < end; ++i) {
    const Node& node = graph[static_cast<NodeId>(i)];
    const ir::Family family = ir::family(node.op);
    bool from_reduction = ir::is_reduction(node.op);
    for (NodeId input : node.inputs) {
      ++readers[static_cast<std::size_t>(input)];
      const bool carries = ir::is_elementwise(node.op) || family == ir::Family::view ||
                           family == ir::Family::convert || family == ir::Family::identity;
      from_reduction = from_reduction || (carries && reduced[static_cast<std::size_t>(input)]);
    }
    reduced[i] = from_reduction && node.op != ir::Opcode::broadcast_to;
    if (node.op == ir::Opcode::broadcast_to && from_reduction) traits.reduced_and_broadcast = true;
    if (node.op == ir::Opcode::permute || node.op == ir::Opcode::narrow) {
      traits.permuted_or_sliced = true;
    }
    if (node.op == ir::Opcode::input && node.shape().ndim() >= 2 &&
        std::count(node.shape().begin(), node.shape().end(), 1) > 0) {
      traits.size_one_axis = true;
    }
  }
  for (int p = 0; p < parameters; ++p) {
    if (readers[static_cast<std::size_t>(p)] >= 2) traits.tied_parameter = true;
  }
}

}  // namespace

Sample make_sample(std::uint64_t seed, int limit) {
  Rng rng(seed * 0x2545F4914F6CDD1Dull + 1);
  const int parameters = static_cast<int>(rng.between(std::int64_t{2}, std::int64_t{3}));
  const int data = static_cast<int>(rng.between(std::int64_t{0}, std::int64_t{2}));
  const std::vector<Type> types = input_types(rng, parameters, data);
  Sample sample;
  for (const Type& type : types) sample.inputs.push_back(random_input(rng, type));

  const std::vector<Action>& actions = all_actions();
  int count = static_cast<int>(rng.between(std::int64_t{6}, std::int64_t{16}));
  if (limit >= 0) count = std::min(count, limit);
  const auto forward = [&](const std::vector<Tensor>& inputs) {
    Builder builder(rng, inputs, parameters);
    for (int i = 0; i < count; ++i) {
      // The first operators go round the list, so that rare ones are not left to chance.
      for (int attempt = 0; attempt < 8; ++attempt) {
        const std::size_t index =
            attempt == 0 && i < 3
                ? (seed * 3 + static_cast<std::uint64_t>(i)) % actions.size()
                : static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(actions.size())));
        if (!actions[index].run(builder)) continue;
        builder.used(actions[index].name);
        break;
      }
    }
    const Tensor loss = builder.loss();
    sample.traits.operators = builder.operators();
    describe(loss.trace()->graph, loss.trace()->graph.size(), parameters, sample.traits);

    const std::vector<Tensor> targets(inputs.begin(), inputs.begin() + parameters);
    std::vector<Tensor> outputs = grad(loss, targets);
    if (seed % 8 == 3) {
      sample.traits.second_gradient = true;
      Tensor penalty;
      for (const Tensor& gradient : outputs) {
        const Tensor term = sum(square(gradient));
        penalty = penalty.empty() ? term : penalty + term;
      }
      for (const Tensor& second : grad(penalty, targets)) outputs.push_back(second);
    }
    outputs.insert(outputs.begin(), loss);
    return outputs;
  };
  sample.graph = trace_graph(forward, types, true);
  return sample;
}

}  // namespace tensorgrad::test

#include "tensorgrad/transform/transpose.h"

#include <gtest/gtest.h>

#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/verify.h"

namespace tensorgrad::transform {
namespace {

using ir::Graph;
using ir::NodeId;
using ir::Opcode;

class Transpose : public ::testing::Test {
 protected:
  NodeId input(Shape shape) {
    const int index = static_cast<int>(graph_.inputs.size());
    graph_.inputs.push_back({"x" + std::to_string(index), {f32, shape}});
    return graph_.add({Opcode::input, {f32, shape}, {}, ir::SourceAttrs{index}, {}});
  }
  NodeId matmul(NodeId a, NodeId b, Shape shape) {
    return graph_.add({Opcode::matmul, {f32, std::move(shape)}, {a, b}, {}, {}});
  }
  NodeId permute(NodeId x, Shape shape, std::vector<int> axes) {
    return graph_.add(
        {Opcode::permute, {f32, std::move(shape)}, {x}, ir::AxesAttrs{std::move(axes)}, {}});
  }
  void output(NodeId node) {
    graph_.add_root(ir::RootKind::output, static_cast<int>(graph_.roots.size()), "y", node);
  }
  std::string after() {
    const Graph result = transpose(graph_);
    ir::verify(result, "transpose");
    return ir::print(result);
  }
  Graph graph_;
};

TEST_F(Transpose, LeavesAPlainProduct) {
  const NodeId a = input({2, 3}), b = input({3, 4});
  output(matmul(a, b, {2, 4}));
  EXPECT_EQ(after(), ir::print(graph_));
}

TEST_F(Transpose, TurnsTheOperandsInsteadOfTheResult) {
  const NodeId a = input({2, 3}), b = input({3, 4});
  output(permute(matmul(a, b, {2, 4}), {4, 2}, {1, 0}));
  const std::string text = after();
  EXPECT_NE(text.find("permute(%1, axes=[1,0]) : f32[4,3]"), std::string::npos) << text;
  EXPECT_NE(text.find("permute(%0, axes=[1,0]) : f32[3,2]"), std::string::npos) << text;
  EXPECT_NE(text.find(": f32[4,2]\noutput"), std::string::npos) << text;
}

TEST_F(Transpose, KeepsBatchAxes) {
  const NodeId a = input({5, 2, 3}), b = input({5, 3, 4});
  output(permute(matmul(a, b, {5, 2, 4}), {5, 4, 2}, {0, 2, 1}));
  EXPECT_NE(after().find("axes=[0,2,1]) : f32[5,4,3]"), std::string::npos);
}

TEST_F(Transpose, LeavesAPermutationThatMovesBatches) {
  const NodeId a = input({5, 2, 3}), b = input({5, 3, 4});
  output(permute(matmul(a, b, {5, 2, 4}), {2, 5, 4}, {1, 0, 2}));
  const std::string text = after();
  EXPECT_NE(text.find("axes=[1,0,2]) : f32[2,5,4]"), std::string::npos) << text;
}

TEST_F(Transpose, LeavesAProductThatIsReadElsewhere) {
  const NodeId a = input({2, 3}), b = input({3, 4});
  const NodeId product = matmul(a, b, {2, 4});
  output(product);
  output(permute(product, {4, 2}, {1, 0}));
  EXPECT_EQ(after(), ir::print(graph_));
}

}  // namespace
}  // namespace tensorgrad::transform

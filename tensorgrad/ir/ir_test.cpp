#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/rewrite.h"
#include "tensorgrad/ir/verify.h"

namespace tensorgrad::ir {
namespace {

NodeId add(Graph& graph, Opcode op, Type type, std::vector<NodeId> inputs = {}, Attrs attrs = {}) {
  return graph.add({op, std::move(type), std::move(inputs), std::move(attrs), {"train.cpp", 41}});
}

Graph small() {
  Graph graph;
  graph.inputs = {{"x", {f32, {2, 3}}}};
  graph.parameters = {{"w", {3}}};
  const NodeId x = add(graph, Opcode::input, {f32, {2, 3}}, {}, SourceAttrs{0});
  const NodeId w = add(graph, Opcode::parameter, {f32, {3}}, {}, SourceAttrs{0});
  const NodeId total = add(graph, Opcode::sum, {f32, {1, 3}}, {x}, AxesAttrs{{0}});
  const NodeId row = add(graph, Opcode::reshape, {f32, {3}}, {total});
  const NodeId y = add(graph, Opcode::add, {f32, {3}}, {row, w});
  graph.add_root(RootKind::output, 0, "y", y);
  graph.add_root(RootKind::gradient, 0, "w", row);
  return graph;
}

TEST(Print, Text) {
  EXPECT_EQ(print(small()), R"(%0 = input("x") : f32[2,3]
%1 = parameter("w") : f32[3]
%2 = sum(%0, axes=[0]) : f32[1,3]
%3 = reshape(%2) : f32[3]
%4 = add(%3, %1) : f32[3]
output 0 "y" = %4
gradient 0 "w" = %3
)");
  EXPECT_EQ(print(small(), true).substr(0, 43), "%0 = input(\"x\") : f32[2,3]  # train.cpp:41\n");
}

TEST(Print, NumbersReadBack) {
  Graph graph;
  const double third = 1.0 / 3;
  for (double value : {third, 1e-300, -0.0, std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::quiet_NaN()}) {
    add(graph, Opcode::constant, {f32, {}}, {}, ConstantAttrs{value});
  }
  EXPECT_EQ(print(graph), R"(%0 = constant(0.3333333333333333) : f32[]
%1 = constant(1e-300) : f32[]
%2 = constant(-0) : f32[]
%3 = constant(inf) : f32[]
%4 = constant(nan) : f32[]
)");
}

TEST(Print, JsonAndGraphviz) {
  Graph graph;
  graph.inputs = {{"a \"b\"\n", {f32, {2}}}};
  add(graph, Opcode::input, {f32, {2}}, {}, SourceAttrs{0});
  add(graph, Opcode::relu, {f32, {2}}, {0});
  graph.add_root(RootKind::output, 0, "", 1);
  EXPECT_EQ(to_json(graph), R"({"nodes": [
  {"id": 0, "op": "input", "dtype": "f32", "shape": [2], "inputs": [], "attrs": {"value": "\"a \"b\"\u000a\""}, "at": "train.cpp:41"},
  {"id": 1, "op": "relu", "dtype": "f32", "shape": [2], "inputs": [0], "at": "train.cpp:41"}],
"roots": [
  {"kind": "output", "index": 0, "name": "", "node": 1}]}
)" + std::string());
  EXPECT_NE(to_graphviz(graph).find("n0 -> n1;"), std::string::npos);
  EXPECT_NE(to_graphviz(graph).find("n1 -> r0;"), std::string::npos);
}

TEST(Rewrite, CopiesAndMaps) {
  const Graph graph = small();
  Rewriter rewriter(graph);
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) rewriter.copy(id);
  EXPECT_EQ(print(rewriter.finish()), print(graph));
}

TEST(Rewrite, ARootThatWasForgottenIsADefect) {
  const Graph graph = small();
  Rewriter rewriter(graph);
  rewriter.copy(0);
  EXPECT_THROW(rewriter.copy(4), InternalError);
  EXPECT_THROW(rewriter.finish(), InternalError);
}

TEST(Graph, InputsPrecedeTheirReaders) {
  Graph graph;
  EXPECT_THROW(add(graph, Opcode::relu, {f32, {}}, {0}), InternalError);
}

TEST(Verify, AcceptsASoundGraph) { EXPECT_NO_THROW(verify(small(), "the test")); }

TEST(Verify, NamesTheNodeItsNeighboursAndTheLine) {
  Graph graph = small();
  add(graph, Opcode::relu, {f32, {4}}, {4});
  std::string text;
  try {
    verify(graph, "fuse");
  } catch (const InternalError& error) {
    text = error.what();
  }
  EXPECT_EQ(text.substr(0, text.rfind("\n  in ")),
            "internal error: after fuse: %5: its type is f32[4], f32[3] follows from its inputs.\n"
            "  at train.cpp:41\n"
            "  %0 = input(\"x\") : f32[2,3]\n"
            "  %1 = parameter(\"w\") : f32[3]\n"
            "  %2 = sum(%0, axes=[0]) : f32[1,3]\n"
            "  %3 = reshape(%2) : f32[3]\n"
            "  %4 = add(%3, %1) : f32[3]\n"
            "> %5 = relu(%4) : f32[4]");
}

/// A wrong node after x f32[2,3], w f32[3], i i32[2], m bool[3] and an image f32[1,2,5,5].
struct Wrong {
  Opcode op;
  Type type;
  std::vector<NodeId> inputs;
  Attrs attrs;
};

TEST(Verify, RefusesEachKindOfWrongNode) {
  const Type row{f32, {3}}, matrix{f32, {2, 3}}, image{f32, {1, 2, 5, 5}};
  const Wrong nodes[] = {
      {Opcode::relu, row, {}, {}},
      {Opcode::relu, {i32, {2}}, {2}, {}},
      {Opcode::add, matrix, {0, 1}, {}},
      {Opcode::less, row, {1, 1}, {}},
      {Opcode::logical_not, row, {1}, {}},
      {Opcode::where, row, {1, 1, 1}, {}},
      {Opcode::relu, row, {1}, AxisAttrs{0}},
      {Opcode::sum, row, {0}, AxesAttrs{{0}}},
      {Opcode::sum, {f32, {1, 1}}, {0}, AxesAttrs{{1, 0}}},
      {Opcode::sum, {f32, {1, 3}}, {0}, {}},
      {Opcode::argmax, {f32, {1, 3}}, {0}, AxesAttrs{{0}}},
      {Opcode::input, row, {}, SourceAttrs{0}},
      {Opcode::parameter, row, {}, SourceAttrs{7}},
      {Opcode::constant, row, {}, {}},
      {Opcode::iota, row, {}, AxisAttrs{0}},
      {Opcode::literal, row, {}, LiteralAttrs{std::make_shared<std::vector<double>>(2)}},
      {Opcode::gradient_run, row, {1}, RunAttrs{0, 0}},
      {Opcode::reshape, {f32, {5}}, {0}, {}},
      {Opcode::permute, matrix, {0}, AxesAttrs{{1, 0}}},
      {Opcode::permute, matrix, {0}, AxesAttrs{{0, 0}}},
      {Opcode::broadcast_to, {f32, {4, 3}}, {0}, {}},
      {Opcode::broadcast_to, matrix, {1}, {}},
      {Opcode::narrow, {f32, {2, 2}}, {0}, NarrowAttrs{1, 2, 1}},
      {Opcode::narrow, {f32, {2, 2}}, {0}, NarrowAttrs{1, 0, 3}},
      {Opcode::pad, {f32, {4}}, {1}, PadAttrs{{0}, {0}, 0}},
      {Opcode::flip, row, {1}, AxesAttrs{{1}}},
      {Opcode::concat, {f32, {4, 3}}, {0, 1}, AxisAttrs{0}},
      {Opcode::concat, {f32, {5, 3}}, {0, 0}, AxisAttrs{0}},
      {Opcode::cumsum, matrix, {0}, ScanAttrs{2, false}},
      {Opcode::cast, {i32, {2}}, {0}, {}},
      {Opcode::stop_gradient, row, {0}, {}},
      {Opcode::matmul, matrix, {0, 0}, {}},
      {Opcode::conv2d, image, {4, 4}, Conv2dAttrs{}},
      {Opcode::max_pool2d, image, {4}, Pool2dAttrs{{2, 2}, {2, 2}, {0, 0}}},
      {Opcode::index_select, matrix, {0, 0}, AxisAttrs{0}},
      {Opcode::index_select, {f32, {4, 3}}, {0, 2}, AxisAttrs{0}},
      {Opcode::take_along_axis, {f32, {2}}, {0, 2}, AxisAttrs{0}},
      {Opcode::index_add, matrix, {0, 2, 1}, AxisAttrs{0}},
  };
  for (const Wrong& wrong : nodes) {
    Graph graph;
    graph.inputs = {{"x", matrix}, {"i", {i32, {2}}}, {"m", {boolean, {3}}}, {"image", image}};
    graph.parameters = {{"w", {3}}};
    add(graph, Opcode::input, matrix, {}, SourceAttrs{0});
    add(graph, Opcode::parameter, row, {}, SourceAttrs{0});
    add(graph, Opcode::input, {i32, {2}}, {}, SourceAttrs{1});
    add(graph, Opcode::input, {boolean, {3}}, {}, SourceAttrs{2});
    add(graph, Opcode::input, image, {}, SourceAttrs{3});
    verify(graph, "the test");
    const NodeId id = add(graph, wrong.op, wrong.type, wrong.inputs, wrong.attrs);
    EXPECT_THROW(verify(graph, "the test"), InternalError) << print_node(graph, id);
  }
}

TEST(Verify, RootsMatchTheirTables) {
  const auto refused = [](RootKind kind, int index, NodeId node) {
    Graph graph = small();
    graph.states = {{"s", {2}}};
    graph.add_root(kind, index, "", node);
    EXPECT_THROW(verify(graph, "the test"), InternalError) << static_cast<int>(kind);
  };
  refused(RootKind::output, 0, 9);
  refused(RootKind::gradient, 0, 0);
  refused(RootKind::gradient, 1, 3);
  refused(RootKind::state_update, 0, 3);
  refused(RootKind::parameter_update, 0, 3);
  refused(RootKind::gradient_norm, 0, 3);
  refused(RootKind::finite_check, 0, 3);
}

TEST(Verify, NoZeroExtents) {
  Graph graph;
  graph.inputs = {{"x", {f32, {0, 3}}}};
  const NodeId x = add(graph, Opcode::input, {f32, {0, 3}}, {}, SourceAttrs{0});
  add(graph, Opcode::constant, {f32, {0}}, {}, ConstantAttrs{0});
  EXPECT_NO_THROW(verify_no_zero_extent(graph, "fold"));
  add(graph, Opcode::sum, {f32, {1, 3}}, {x}, AxesAttrs{{0}});
  EXPECT_THROW(verify_no_zero_extent(graph, "fold"), InternalError);
}

}  // namespace
}  // namespace tensorgrad::ir

// An open trace for the tests of the structured operators: inputs by type, refusals by their whole
// text, and the nodes as lines.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/ops.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {

class StructuredTest : public testing::Test {
 protected:
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  TraceScope scope{trace};

  Tensor input(const std::string& name, Shape shape, DType dtype = f32) {
    return trace->declare_input({name, {dtype, std::move(shape)}});
  }
  static std::string type(const Tensor& x) { return Type{x.dtype(), x.shape()}.str(); }

  /// "matmul(0, 1) f32[2,4]", one line per node from `first` on, without inputs of the graph.
  std::string nodes(std::size_t first = 0) const {
    std::string text;
    for (std::size_t i = first; i < trace->graph.size(); ++i) {
      const ir::Node& node = trace->graph[static_cast<ir::NodeId>(i)];
      if (node.op == ir::Opcode::input) continue;
      text += std::to_string(i) + ": " + std::string(name(node.op)) + "(";
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        text += (k > 0 ? ", " : "") + std::to_string(node.inputs[k]);
      }
      text += ") " + node.type.str() + "\n";
    }
    return text;
  }
  /// How many nodes are of this operator.
  int count(ir::Opcode op) const {
    int number = 0;
    for (const ir::Node& node : trace->graph.nodes()) number += node.op == op ? 1 : 0;
    return number;
  }
  /// The message of the UsageError that `call`, written on the line of this call, throws; that line
  /// appears as HERE. The call must add no node.
  template <class F>
  std::string message(F&& call, Location here = Location::current()) const {
    const std::size_t before = trace->graph.size();
    std::string text = "nothing thrown";
    try {
      call();
    } catch (const UsageError& error) {
      text = error.what();
    }
    EXPECT_EQ(trace->graph.size(), before) << "a refused call added nodes";
    const std::size_t at = text.find(here.str());
    return at == std::string::npos ? text : text.replace(at, here.str().size(), "HERE");
  }
  const ir::Node& node(const Tensor& x) const { return trace->graph[x.node()]; }
  std::size_t size() const { return trace->graph.size(); }
};

}  // namespace tensorgrad

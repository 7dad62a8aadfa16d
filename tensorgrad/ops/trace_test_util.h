// A trace that is open for the length of a test, with inputs made in one call.
#pragma once

#include <memory>
#include <string>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/verify.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {

class TestTrace {
 public:
  TestTrace() : trace_(std::make_shared<Trace>()), scope_(trace_) {
    trace_->what = "while tracing 'loss'";
  }

  Trace& operator*() { return *trace_; }
  Trace* operator->() { return trace_.get(); }
  std::shared_ptr<Trace> shared() { return trace_; }

  Tensor input(std::string name, Shape shape, DType dtype = f32) {
    return trace_->declare_input({std::move(name), {dtype, std::move(shape)}});
  }
  /// The text of the graph, verified.
  std::string text() const {
    ir::verify(trace_->graph, "the trace");
    return ir::print(trace_->graph);
  }
  /// The graph with these outputs.
  ir::Graph graph(std::initializer_list<Tensor> outputs) const {
    ir::Graph graph = trace_->graph;
    int index = 0;
    for (const Tensor& output : outputs) {
      graph.add_root(ir::RootKind::output, index++, "", output.node());
    }
    return graph;
  }

 private:
  std::shared_ptr<Trace> trace_;
  TraceScope scope_;
};

/// The message of what `f` throws; empty when it throws nothing. Lines "  at ..." become "  at
/// LINE".
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    std::string text = error.what();
    const std::size_t at = text.find("\n  at ");
    if (at == std::string::npos) return text;
    const std::size_t end = text.find('\n', at + 1);
    return text.substr(0, at) + "\n  at LINE" + (end == std::string::npos ? "" : text.substr(end));
  }
  return {};
}

}  // namespace tensorgrad

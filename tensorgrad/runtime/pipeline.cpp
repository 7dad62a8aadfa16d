#include "tensorgrad/runtime/pipeline.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/verify.h"
#include "tensorgrad/plan/buffers.h"
#include "tensorgrad/transform/cse.h"
#include "tensorgrad/transform/dce.h"
#include "tensorgrad/transform/fold.h"
#include "tensorgrad/transform/fuse.h"
#include "tensorgrad/transform/transpose.h"

namespace tensorgrad::runtime {
namespace {

#if defined(TENSORGRAD_VERIFY)
constexpr bool kVerify = true;
#else
constexpr bool kVerify = false;
#endif

bool logs_passes() {
  const char* topics = std::getenv("TG_LOG");
  return topics != nullptr && std::strstr(topics, "passes") != nullptr;
}

void log(const char* pass, const std::string& text) {
  std::fprintf(stderr, "== %s\n%s\n", pass, text.c_str());
}

class Passes {
 public:
  explicit Passes(ir::Graph graph) : graph_(std::move(graph)), logs_(logs_passes()) {
    if (logs_) {
      text_ = ir::print(graph_);
      log("traced", text_);
    }
    check("trace");
  }

  void run(const char* name, ir::Graph (*pass)(const ir::Graph&)) {
    graph_ = pass(graph_);
    if (logs_) {
      std::string now = ir::print(graph_);
      log(name, now == text_ ? "unchanged" : now);
      text_ = std::move(now);
    }
    check(name);
  }

  const ir::Graph& graph() const { return graph_; }
  bool logs() const { return logs_; }

 private:
  void check(const char* name) const {
    if (kVerify) ir::verify(graph_, name);
  }

  ir::Graph graph_;
  bool logs_;
  std::string text_;
};

std::string described(const ir::Graph& graph, const ir::Node& node) {
  if (const auto* source = std::get_if<ir::SourceAttrs>(&node.attrs)) {
    const auto index = static_cast<std::size_t>(source->index);
    if (node.op == ir::Opcode::parameter) return "'" + graph.parameters[index].name + "'";
    if (node.op == ir::Opcode::state) return "'" + graph.states[index].name + "'";
    if (node.op == ir::Opcode::input) return "input '" + graph.inputs[index].name + "'";
  }
  return "the result of " + std::string(ir::name(node.op));
}

// Elements that are kept in memory or could be: a tensor over the limit is refused by name.
void check_limits(const char* call, const ir::Graph& graph, const kernel::Limits& limits) {
  for (const ir::Node& node : graph.nodes()) {
    const std::int64_t numel = node.shape().numel();
    if (numel <= limits.max_tensor_elements) continue;
    const auto bytes = [](std::int64_t elements) {
      return std::to_string(static_cast<std::uint64_t>(elements) * 4) + " bytes";
    };
    throw_usage(std::string(call) + ": " + described(graph, node) + ", " + node.type.str() +
                    ", needs " + bytes(numel) + ", the device takes at most " +
                    bytes(limits.max_tensor_elements) + " per tensor.",
                node.location);
  }
}

}  // namespace

ir::Graph without_dead_nodes(const ir::Graph& graph) { return transform::dce(graph); }

kernel::Program lower(const char* call, const ir::Graph& graph, const PipelineSettings& settings) {
  Passes passes(graph);
  passes.run("dce", transform::dce);
  check_limits(call, passes.graph(), settings.limits);
  if (settings.optimize) passes.run("cse", transform::cse);
  passes.run("fold", transform::fold);
  if (settings.optimize) passes.run("transpose", transform::transpose);
  passes.run("dce", transform::dce);
  if (kVerify) ir::verify_no_zero_extent(passes.graph(), "fold");
  kernel::Program program = transform::fuse(passes.graph(), settings.limits);
  plan::place_buffers(program, settings.limits);
  if (kVerify) plan::check_placement(program, settings.limits);
  if (passes.logs()) log("kernels", kernel::print(program));
  return program;
}

}  // namespace tensorgrad::runtime

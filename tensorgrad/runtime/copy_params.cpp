#include "tensorgrad/runtime/copy_params.h"

#include <algorithm>
#include <vector>

#include "tensorgrad/base/error.h"

namespace tensorgrad::runtime {
namespace {

using kernel::Access;
using kernel::Instr;
using kernel::TapeOp;

using Pairs = std::vector<std::pair<const Variable*, const Variable*>>;

bool has_prefix(const std::string& name, const std::string& prefix) {
  return name.compare(0, prefix.size(), prefix) == 0;
}

Pairs find_pairs(const Variables& variables, const std::string& from, const std::string& to) {
  const std::vector<const Variable*> all = variables.all();
  std::vector<std::string> known = variables.names();
  std::sort(known.begin(), known.end());
  Pairs pairs;
  for (const Variable* source : all) {
    if (!has_prefix(source->name, from)) continue;
    const std::string name = to + source->name.substr(from.size());
    const auto target =
        std::find_if(all.begin(), all.end(), [&](const Variable* v) { return v->name == name; });
    if (target == all.end()) {
      throw_usage("copy_params: '" + source->name + "' has no counterpart '" + name +
                  "', known: " + join_names(known) + ".");
    }
    if ((*target)->shape != source->shape) {
      throw_usage("copy_params: '" + source->name + "' is " +
                  Type{DType::f32, source->shape}.str() + ", '" + name + "' is " +
                  Type{DType::f32, (*target)->shape}.str() + ".");
    }
    pairs.emplace_back(source, *target);
  }
  if (pairs.empty()) {
    throw_usage("copy_params: no name starts with '" + from + "', known: " + join_names(known) +
                ".");
  }
  return pairs;
}

int add_instr(kernel::Loop& loop, TapeOp op, int access, int a = -1, int b = -1,
              ir::Opcode fn = ir::Opcode::count) {
  Instr instr;
  instr.op = op;
  instr.fn = fn;
  instr.args = {a, b, -1};
  instr.access = access;
  loop.tape.push_back(instr);
  return static_cast<int>(loop.tape.size()) - 1;
}

// Buffers: tau, then source and target of each pair.
kernel::Program make_program(const Pairs& pairs, bool plain) {
  kernel::Program program;
  const auto add_buffer = [&](std::int64_t numel, const std::string& name) {
    kernel::Buffer buffer;
    buffer.kind = kernel::BufferKind::parameter;
    buffer.numel = numel;
    buffer.name = name;
    program.buffers.push_back(buffer);
    return static_cast<int>(program.buffers.size()) - 1;
  };
  const int tau_buffer = add_buffer(1, "tau");
  for (const auto& [source, target] : pairs) {
    const int from = add_buffer(source->numel(), source->name);
    const int to = add_buffer(target->numel(), target->name);
    if (source->numel() == 0) continue;
    kernel::Loop loop;
    loop.extents = {source->numel()};
    loop.reduced = {false};
    for (const auto& [buffer, stride] :
         std::vector<std::pair<int, std::int64_t>>{{from, 1}, {to, 1}, {tau_buffer, 0}}) {
      if (plain && buffer == tau_buffer) continue;
      Access access;
      access.buffer = buffer;
      access.strides = {stride};
      loop.accesses.push_back(access);
    }
    int value = add_instr(loop, TapeOp::load, 0);
    if (!plain) {
      const int now = add_instr(loop, TapeOp::load, 1);
      const int tau = add_instr(loop, TapeOp::load, 2);
      value = add_instr(loop, TapeOp::scalar, -1, value, now, ir::Opcode::sub);
      value = add_instr(loop, TapeOp::scalar, -1, value, tau, ir::Opcode::mul);
      value = add_instr(loop, TapeOp::scalar, -1, value, now, ir::Opcode::add);
    }
    add_instr(loop, TapeOp::store, 1, value);
    kernel::Kernel kernel;
    kernel.name = "copy_params";
    kernel.body = std::move(loop);
    program.kernels.push_back(std::move(kernel));
  }
  return program;
}

}  // namespace

void ParamCopier::copy(const Variables& variables, const Workspace& workspace,
                       const std::string& from, const std::string& to, double tau) {
  if (!(tau >= 0 && tau <= 1)) {
    throw_usage("copy_params: tau is " + std::to_string(tau) + ", a number in [0, 1] is expected.");
  }
  if (from == to) {
    throw_usage("copy_params: both prefixes are '" + from + "', they must differ.");
  }
  const bool plain = tau == 1;  // a copy must not see what was there, which may be NaN
  const Key key{from, to, plain};
  auto found = copies_.find(key);
  if (found == copies_.end()) {
    const Pairs pairs = find_pairs(variables, from, to);
    Copy made;
    made.tau = workspace.device().allocate(1, workspace.precision(), "tau");
    made.executable = workspace.device().load(make_program(pairs, plain), workspace.precision(),
                                              workspace.threads());
    std::vector<backend::Binding> bindings{{made.tau.get(), 0}};
    for (const auto& [source, target] : pairs) {
      bindings.push_back({source->memory.get(), source->offset});
      bindings.push_back({target->memory.get(), target->offset});
    }
    made.executable->bind(bindings);
    found = copies_.emplace(key, std::move(made)).first;
  }
  found->second.tau->write(0, std::span<const double>(&tau, 1));
  found->second.executable->run({});
}

}  // namespace tensorgrad::runtime

// Readable text of a program: buffers, then each kernel with its sizes, accesses and tape. It is
// what a log or a test compares, so numbers are printed shortest-exact and independent of the
// locale.
#include <array>
#include <charconv>
#include <string>
#include <type_traits>

#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::kernel {
namespace {

std::string text(double value) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

template <class List>
std::string list(const List& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    out += std::to_string(values[i]);
  }
  return out + "]";
}

std::string buffer_name(int buffer) {
  if (buffer == kAccumulator) return "acc";
  if (buffer == kNoBuffer) return "index";
  return std::string("b") + std::to_string(buffer);
}

// "b3[4; 64,1] where 0<=i1<5 else 0, + 64*b2[0; 1] below 10"
std::string text(const Access& access) {
  std::string out = buffer_name(access.buffer) + "[" + std::to_string(access.offset) + ";";
  for (std::size_t k = 0; k < access.strides.size(); ++k) {
    out += k > 0 ? "," : " ";
    out += std::to_string(access.strides[k]);
  }
  out += "]";
  for (const Guard& guard : access.guards) {
    out += std::string(" where ") + std::to_string(guard.begin) + "<=i" +
           std::to_string(guard.axis) + "<" + std::to_string(guard.end);
  }
  if (!access.guards.empty()) out += std::string(" else ") + text(access.fill);
  if (const auto& indirect = access.indirect) {
    Access index;
    index.buffer = indirect->buffer;
    index.offset = indirect->offset;
    index.strides = indirect->strides;
    out += std::string(" + ") + std::to_string(indirect->stride) + "*" + text(index) + " below " +
           std::to_string(indirect->bound);
  }
  return out;
}

std::string text(const Loop& loop, const Instr& instr) {
  const auto access = [&] { return text(loop.accesses[static_cast<std::size_t>(instr.access)]); };
  std::string out;
  switch (instr.op) {
    case TapeOp::load: out = std::string("load ") + access(); break;
    case TapeOp::store: out = std::string("store ") + access(); break;
    case TapeOp::constant: out = std::string("constant ") + text(instr.imm); break;
    case TapeOp::index: out = std::string("index ") + access(); break;
    case TapeOp::scalar: out = std::string(ir::name(instr.fn)); break;
    case TapeOp::cast: out = "cast"; break;
    case TapeOp::reduce: out = std::string("reduce_") + std::string(ir::name(instr.fn)); break;
    case TapeOp::scan: out = instr.reverse ? "scan_reverse" : "scan"; break;
    case TapeOp::random:
      out = std::string("random ") + std::to_string(instr.ordinal) + " " + access();
      break;
  }
  for (int arg : instr.args) {
    if (arg >= 0) out += std::string(" r") + std::to_string(arg);
  }
  out += " : ";
  out += name(instr.dtype);
  if (instr.row) out += " row";
  return out;
}

std::string text(const Loop& loop, const std::string& indent) {
  std::string out = indent + "over " + list(loop.extents);
  std::string reduced;
  for (std::size_t k = 0; k < loop.reduced.size(); ++k) {
    if (loop.reduced[k]) reduced += std::string(reduced.empty() ? "" : ",") + std::to_string(k);
  }
  if (!reduced.empty()) out += std::string(" reducing ") + reduced;
  out += "\n";
  for (std::size_t i = 0; i < loop.tape.size(); ++i) {
    out += indent + "r" + std::to_string(i) + " = " + text(loop, loop.tape[i]) + "\n";
  }
  return out;
}

std::string text(const Contract& contract) {
  std::string out;
  if (contract.kind == ContractKind::matmul) {
    out = std::string("  matmul batch ") + list(contract.batch) + " m " +
          std::to_string(contract.m) + " n " + std::to_string(contract.n) + " k " +
          std::to_string(contract.k);
  } else {
    constexpr std::array<const char*, 4> kNames{"", "conv_forward", "conv_grad_input",
                                                "conv_grad_weight"};
    out = std::string("  ") + kNames[static_cast<std::size_t>(contract.kind)] + " input " +
          list(contract.input_shape) + " weight " + list(contract.weight_shape) + " output " +
          list(contract.output_shape) + " stride " + list(contract.conv.stride) + " padding " +
          list(contract.conv.padding) + " dilation " + list(contract.conv.dilation) + " groups " +
          std::to_string(contract.conv.groups);
  }
  out += std::string("\n  a = ") + text(contract.a) + "\n  b = " + text(contract.b) + "\n";
  if (contract.c) {
    out += std::string("  c ") + (contract.accumulate ? "+= " : "= ") + text(*contract.c) + "\n";
  }
  if (contract.epilogue) out += std::string("  epilogue\n") + text(*contract.epilogue, "    ");
  return out;
}

std::string text(const Window& window) {
  std::string out = window.kind == WindowKind::max_forward ? "  max_forward" : "  max_backward";
  out += std::string(" input ") + list(window.input_shape) + " output " +
         list(window.output_shape) + " kernel " + list(window.pool.kernel) + " stride " +
         list(window.pool.stride) + " padding " + list(window.pool.padding) +
         "\n  input = " + text(window.input) + "\n";
  if (window.output) out += std::string("  output = ") + text(*window.output) + "\n";
  if (window.index) out += std::string("  index = ") + text(*window.index) + "\n";
  return out;
}

std::string text(const Scatter& scatter) {
  std::string out = std::string("  source ") + list(scatter.source_extents) + " axis " +
                    std::to_string(scatter.axis) + " of " +
                    std::to_string(scatter.destination_extent) + " : ";
  out += name(scatter.dtype);
  out += std::string("\n  source = ") + text(scatter.source) +
         "\n  index = " + text(scatter.index) + "\n";
  if (scatter.base) out += std::string("  base = ") + text(*scatter.base) + "\n";
  return out + "  destination = " + text(scatter.destination) + "\n";
}

std::string text(const Buffer& buffer) {
  constexpr std::array<const char*, 11> kNames{
      "input",        "parameter",    "state",   "gradient", "parameter_run", "moment_run",
      "gradient_run", "step_scalars", "literal", "result",   "scratch"};
  std::string out = kNames[static_cast<std::size_t>(buffer.kind)];
  if (buffer.kind == BufferKind::scratch) {
    out += std::string(" at ") + std::to_string(buffer.offset);
  } else {
    out += std::string(" ") + std::to_string(buffer.index);
  }
  if (buffer.kind == BufferKind::moment_run)
    out += std::string(" slot ") + std::to_string(buffer.slot);
  out += " : ";
  out += name(buffer.dtype);
  out += std::string(" x ") + std::to_string(buffer.numel);
  if (!buffer.name.empty()) out += std::string(" '") + buffer.name + "'";
  return out;
}

}  // namespace

std::string print(const Program& program) {
  std::string out = std::string("scratch ") + std::to_string(program.scratch_numel) + "\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    out += std::string("b") + std::to_string(i) + " " + text(program.buffers[i]) + "\n";
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    out += std::string("k") + std::to_string(i) + " " + std::string(form(kernel.body)) + " '" +
           kernel.name + "'";
    if (kernel.location) out += std::string(" at ") + kernel.location.str();
    if (kernel.predicated) out += " predicated";
    out += "\n";
    out += std::visit(
        [](const auto& body) {
          if constexpr (std::is_same_v<std::decay_t<decltype(body)>, Loop>) {
            return text(body, "  ");
          } else {
            return text(body);
          }
        },
        kernel.body);
  }
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const Result& result = program.results[i];
    out += std::string("result ") + std::to_string(i) + " = b" + std::to_string(result.buffer) +
           " : " + std::string(name(result.dtype)) + list(result.shape) + "\n";
  }
  for (const FiniteCheck& check : program.finite_checks) {
    out +=
        std::string("finite '") + check.name + "' = result " + std::to_string(check.result) + "\n";
  }
  return out;
}

}  // namespace tensorgrad::kernel

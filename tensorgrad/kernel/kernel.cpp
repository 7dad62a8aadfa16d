// Questions about kernels that need no device: the form's name and the buffers a kernel touches.
// An accumulated contraction and a store through an access count as what they do to the buffer, so
// `c += …` both reads and writes c.
#include "tensorgrad/kernel/kernel.h"

#include <algorithm>

namespace tensorgrad::kernel {
namespace {

void add(std::vector<int>& list, int buffer) {
  if (buffer < 0 || std::find(list.begin(), list.end(), buffer) != list.end()) return;
  list.push_back(buffer);
}

// Collects reads and writes; kNoBuffer and kAccumulator are nobody's buffers.
struct Collector {
  Uses uses;

  void read(const Access& access) {
    add(uses.reads, access.buffer);
    if (access.indirect) add(uses.reads, access.indirect->buffer);
  }
  void write(const Access& access) {
    add(uses.writes, access.buffer);
    if (access.indirect) add(uses.reads, access.indirect->buffer);
  }

  void operator()(const Loop& loop) {
    for (const Instr& instr : loop.tape) {
      if (instr.access < 0) continue;
      const Access& access = loop.accesses[static_cast<std::size_t>(instr.access)];
      if (instr.op == TapeOp::store) {
        write(access);
      } else {
        read(access);
      }
    }
  }
  void operator()(const Contract& contract) {
    read(contract.a);
    read(contract.b);
    if (contract.c) {
      if (contract.accumulate) read(*contract.c);
      write(*contract.c);
    }
    if (contract.epilogue) (*this)(*contract.epilogue);
  }
  void operator()(const Window& window) {
    if (window.kind == WindowKind::max_forward) {
      read(window.input);
      if (window.output) write(*window.output);
      if (window.index) write(*window.index);
    } else {
      if (window.output) read(*window.output);
      if (window.index) read(*window.index);
      write(window.input);
    }
  }
  void operator()(const Scatter& scatter) {
    read(scatter.source);
    read(scatter.index);
    if (scatter.base) read(*scatter.base);
    write(scatter.destination);
  }
};

// A loop is rowwise when something computed per row is used again at every point of the row.
std::string_view loop_form(const Loop& loop) {
  if (std::find(loop.reduced.begin(), loop.reduced.end(), true) == loop.reduced.end()) return "map";
  for (const Instr& instr : loop.tape) {
    if (instr.op == TapeOp::scan) return "rowwise";
    if (instr.row) continue;
    if (instr.op == TapeOp::store) return "rowwise";
    for (int arg : instr.args) {
      if (arg < 0) continue;
      const Instr& source = loop.tape[static_cast<std::size_t>(arg)];
      if (source.row && source.op != TapeOp::constant && source.op != TapeOp::load) {
        return "rowwise";
      }
    }
  }
  return "reduce";
}

}  // namespace

std::string_view form(const Body& body) {
  if (const auto* loop = std::get_if<Loop>(&body)) return loop_form(*loop);
  if (std::holds_alternative<Contract>(body)) return "contract";
  if (std::holds_alternative<Window>(body)) return "window";
  return "index";
}

Uses uses(const Kernel& kernel) {
  Collector collector;
  std::visit(collector, kernel.body);
  return std::move(collector.uses);
}

}  // namespace tensorgrad::kernel

#include "tensorgrad/plan/buffers.h"

#include <algorithm>
#include <numeric>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/graph.h"

namespace tensorgrad::plan {
namespace {

using kernel::Access;
using kernel::BufferKind;
using kernel::Program;

std::int64_t aligned(std::int64_t numel) {
  return (numel + ir::kArenaAlignment - 1) / ir::kArenaAlignment * ir::kArenaAlignment;
}

bool is_scratch(const Program& program, int buffer) {
  return program.buffers[static_cast<std::size_t>(buffer)].kind == BufferKind::scratch;
}

bool same_place(const Access& a, const Access& b) {
  return a.offset == b.offset && a.strides == b.strides && a.guards.empty() && b.guards.empty() &&
         !a.indirect && !b.indirect;
}

// The elementwise tape of a kernel: a map, or the epilogue of a contraction. Tapes that reduce may
// read their operands again after having stored.
const kernel::Loop* pointwise(const kernel::Kernel& kernel) {
  const kernel::Loop* loop = std::get_if<kernel::Loop>(&kernel.body);
  if (const auto* contract = std::get_if<kernel::Contract>(&kernel.body)) {
    loop = contract->epilogue ? &*contract->epilogue : nullptr;
  }
  if (loop == nullptr) return nullptr;
  for (const kernel::Instr& instr : loop->tape) {
    if (instr.op == kernel::TapeOp::reduce || instr.op == kernel::TapeOp::scan) return nullptr;
  }
  return loop;
}

// The result may be written where the operand is: every read of the operand in the kernel is at the
// very element that is then written.
bool replaces(const kernel::Kernel& kernel, int operand, int result) {
  const kernel::Loop* loop = pointwise(kernel);
  if (loop == nullptr) return false;
  if (const auto* contract = std::get_if<kernel::Contract>(&kernel.body)) {
    if (contract->a.buffer == operand || contract->b.buffer == operand) return false;
    if (contract->c && (contract->c->buffer == operand || contract->c->buffer == result)) {
      return false;
    }
  }
  const Access* written = nullptr;
  int stores = 0;
  for (const kernel::Instr& instr : loop->tape) {
    // A loaded register may be the memory itself, which by now holds the result.
    for (int arg : instr.args) {
      if (written == nullptr || arg < 0) continue;
      const kernel::Instr& source = loop->tape[static_cast<std::size_t>(arg)];
      if (source.op == kernel::TapeOp::load &&
          loop->accesses[static_cast<std::size_t>(source.access)].buffer == operand) {
        return false;
      }
    }
    if (instr.op != kernel::TapeOp::store) continue;
    const Access& access = loop->accesses[static_cast<std::size_t>(instr.access)];
    if (access.buffer == result) {
      written = &access;
      ++stores;
    }
    if (access.buffer == operand) return false;
  }
  if (written == nullptr || stores != 1) return false;
  for (const Access& access : loop->accesses) {
    if (access.indirect && access.indirect->buffer == operand) return false;
    if (access.buffer == operand && !same_place(access, *written)) return false;
  }
  return true;
}

enum class Relation {
  apart,     // never alive at the same time
  together,  // alive at the same time
  replaces   // one takes over from the other in a kernel: the same memory, exactly, or another
};

struct Placement {
  const Program& program;
  const kernel::Limits& limits;
  std::vector<Lifetime> lives;

  Relation relation(int a, int b) const {
    const Lifetime& x = lives[static_cast<std::size_t>(a)];
    const Lifetime& y = lives[static_cast<std::size_t>(b)];
    if (!limits.reuse_scratch) return Relation::together;
    if (x.last < y.first || y.last < x.first) return Relation::apart;
    if (!limits.in_place) return Relation::together;
    const auto takes_over = [&](int operand, int result, int kernel) {
      const kernel::Buffer& from = program.buffers[static_cast<std::size_t>(operand)];
      const kernel::Buffer& to = program.buffers[static_cast<std::size_t>(result)];
      // In float64 evaluation f32 elements are wider than i32 and bool.
      return from.numel == to.numel && (from.dtype == f32) == (to.dtype == f32) &&
             replaces(program.kernels[static_cast<std::size_t>(kernel)], operand, result);
    };
    const bool follows = x.last == y.first && x.first < y.first && takes_over(a, b, x.last);
    const bool precedes = y.last == x.first && y.first < x.first && takes_over(b, a, y.last);
    return follows || precedes ? Relation::replaces : Relation::together;
  }
};

bool overlap(const kernel::Buffer& a, const kernel::Buffer& b) {
  return a.offset < b.offset + aligned(b.numel) && b.offset < a.offset + aligned(a.numel);
}

}  // namespace

std::vector<Lifetime> lifetimes(const Program& program) {
  std::vector<Lifetime> lives(program.buffers.size(),
                              {static_cast<int>(program.kernels.size()), -1});
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    const kernel::Uses uses = kernel::uses(program.kernels[k]);
    for (const std::vector<int>* list : {&uses.reads, &uses.writes}) {
      for (int buffer : *list) {
        Lifetime& life = lives[static_cast<std::size_t>(buffer)];
        life.first = std::min(life.first, static_cast<int>(k));
        life.last = std::max(life.last, static_cast<int>(k));
      }
    }
  }
  return lives;
}

void place_buffers(Program& program, const kernel::Limits& limits) {
  const Placement placement{program, limits, lifetimes(program)};
  std::vector<int> order;
  for (std::size_t b = 0; b < program.buffers.size(); ++b) {
    const auto buffer = static_cast<int>(b);
    if (is_scratch(program, buffer)) order.push_back(buffer);
  }
  // Largest first; each at the lowest place that is free during its life.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return program.buffers[static_cast<std::size_t>(a)].numel >
           program.buffers[static_cast<std::size_t>(b)].numel;
  });
  program.scratch_numel = 0;
  std::vector<int> placed;
  struct Range {
    std::int64_t begin, end;
    bool replaceable;  // an operand that the buffer may replace exactly
  };
  std::vector<Range> taken;
  for (int buffer : order) {
    auto& self = program.buffers[static_cast<std::size_t>(buffer)];
    taken.clear();
    for (int other : placed) {
      const Relation relation = placement.relation(buffer, other);
      if (relation == Relation::apart) continue;
      const auto& there = program.buffers[static_cast<std::size_t>(other)];
      taken.push_back(
          {there.offset, there.offset + aligned(there.numel), relation == Relation::replaces});
    }
    std::sort(taken.begin(), taken.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Range& range : taken) {
        if (range.end <= offset || offset + aligned(self.numel) <= range.begin) continue;
        if (range.replaceable && range.begin == offset) continue;
        offset = range.end;
        moved = true;
      }
    }
    self.offset = offset;
    program.scratch_numel = std::max(program.scratch_numel, offset + aligned(self.numel));
    placed.push_back(buffer);
  }
}

void check_placement(const Program& program, const kernel::Limits& limits) {
  const Placement placement{program, limits, lifetimes(program)};
  for (std::size_t a = 0; a < program.buffers.size(); ++a) {
    if (!is_scratch(program, static_cast<int>(a))) continue;
    require(program.buffers[a].offset >= 0, "every scratch buffer has a place");
    for (std::size_t b = a + 1; b < program.buffers.size(); ++b) {
      if (!is_scratch(program, static_cast<int>(b))) continue;
      if (!overlap(program.buffers[a], program.buffers[b])) continue;
      const Relation relation = placement.relation(static_cast<int>(a), static_cast<int>(b));
      require(
          relation == Relation::apart || (relation == Relation::replaces &&
                                          program.buffers[a].offset == program.buffers[b].offset),
          "values that are alive together have different memory");
    }
  }
}

}  // namespace tensorgrad::plan

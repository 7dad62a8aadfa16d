#include "tensorgrad/plan/buffers.h"

#include <gtest/gtest.h>

#include "tensorgrad/base/error.h"

namespace tensorgrad::plan {
namespace {

using kernel::Access;
using kernel::BufferKind;
using kernel::Instr;
using kernel::Loop;
using kernel::Program;
using kernel::TapeOp;

// Programs of maps over [numel]: each kernel reads some buffers and writes one.
class Planner {
 public:
  int buffer(BufferKind kind, std::int64_t numel, DType dtype = f32) {
    kernel::Buffer buffer;
    buffer.kind = kind;
    buffer.numel = numel;
    buffer.dtype = dtype;
    program.buffers.push_back(buffer);
    return static_cast<int>(program.buffers.size()) - 1;
  }
  int scratch(std::int64_t numel, DType dtype = f32) {
    return buffer(BufferKind::scratch, numel, dtype);
  }
  Loop& map(std::int64_t numel, const std::vector<int>& reads, int write) {
    Loop loop;
    loop.extents = {numel};
    loop.reduced = {false};
    int last = 0;
    for (int read : reads) {
      loop.accesses.push_back(access(read));
      Instr load;
      load.op = TapeOp::load;
      load.access = static_cast<int>(loop.accesses.size()) - 1;
      loop.tape.push_back(load);
      last = static_cast<int>(loop.tape.size()) - 1;
    }
    Instr compute;
    compute.op = TapeOp::scalar;
    compute.fn = ir::Opcode::exp;
    compute.args[0] = last;
    loop.tape.push_back(compute);
    store(loop, write, static_cast<int>(loop.tape.size()) - 1);
    kernel::Kernel kernel;
    kernel.name = "map";
    kernel.body = std::move(loop);
    program.kernels.push_back(std::move(kernel));
    return std::get<Loop>(program.kernels.back().body);
  }
  static void store(Loop& loop, int buffer, int reg) {
    loop.accesses.push_back(access(buffer));
    Instr store;
    store.op = TapeOp::store;
    store.args[0] = reg;
    store.access = static_cast<int>(loop.accesses.size()) - 1;
    loop.tape.push_back(store);
  }
  static Access access(int buffer) {
    Access access;
    access.buffer = buffer;
    access.strides = {1};
    return access;
  }
  void place() {
    place_buffers(program, limits);
    check_placement(program, limits);
  }
  std::int64_t offset(int buffer) const {
    return program.buffers[static_cast<std::size_t>(buffer)].offset;
  }

  Program program;
  kernel::Limits limits;
};

TEST(Lifetimes, FirstAndLastKernel) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 64), a = p.scratch(64), b = p.scratch(64);
  const int unused = p.scratch(64);
  p.map(64, {in}, a);
  p.map(64, {a}, b);
  p.map(64, {a, b}, p.buffer(BufferKind::result, 64));
  const std::vector<Lifetime> lives = lifetimes(p.program);
  EXPECT_EQ(lives[static_cast<std::size_t>(a)].first, 0);
  EXPECT_EQ(lives[static_cast<std::size_t>(a)].last, 2);
  EXPECT_EQ(lives[static_cast<std::size_t>(b)].first, 1);
  EXPECT_GT(lives[static_cast<std::size_t>(unused)].first,
            lives[static_cast<std::size_t>(unused)].last);
}

TEST(Place, ValuesThatNeverMeetShareMemory) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 100), a = p.scratch(100), b = p.scratch(100),
            c = p.scratch(100), out = p.buffer(BufferKind::result, 100);
  p.limits.in_place = false;
  p.map(100, {in}, a);
  p.map(100, {a}, b);
  p.map(100, {b}, c);
  p.map(100, {c}, out);
  p.place();
  EXPECT_EQ(p.offset(a), p.offset(c));
  EXPECT_NE(p.offset(a), p.offset(b));
  EXPECT_EQ(p.program.scratch_numel, 256) << "two values of 100, rounded up to 128";
}

TEST(Place, WithoutReuseEveryValueHasItsOwn) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 64), a = p.scratch(64), b = p.scratch(64);
  p.limits.reuse_scratch = false;
  p.map(64, {in}, a);
  p.map(64, {in}, b);
  p.place();
  EXPECT_NE(p.offset(a), p.offset(b));
  EXPECT_EQ(p.program.scratch_numel, 128);
}

TEST(Place, OffsetsAreMultiplesOf64) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 10), a = p.scratch(10), b = p.scratch(3);
  p.map(10, {in}, a);
  p.map(3, {in}, b);
  p.map(10, {a, b}, p.buffer(BufferKind::result, 10));
  p.place();
  EXPECT_EQ(p.offset(a) % 64, 0);
  EXPECT_EQ(p.offset(b) % 64, 0);
}

// in -> a -> b -> out, where b may take the place of a.
struct InPlace : ::testing::Test {
  Planner p;
  int in = p.buffer(BufferKind::input, 64), a = p.scratch(64);
  int b = p.scratch(64), out = p.buffer(BufferKind::result, 64);
  Loop& run() {
    p.map(64, {in}, a);
    Loop& loop = p.map(64, {a}, b);
    return loop;
  }
  void finish() {
    p.map(64, {b}, out);
    p.place();
  }
};

TEST_F(InPlace, AResultReplacesTheOperandReadLast) {
  run();
  finish();
  EXPECT_EQ(p.offset(a), p.offset(b));
  EXPECT_EQ(p.program.scratch_numel, 64);
}

TEST_F(InPlace, NotWhenTheOperandIsReadLater) {
  run();
  p.map(64, {a}, p.buffer(BufferKind::result, 64));
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST_F(InPlace, NotWhenItIsReadElsewhere) {
  run().accesses[0].strides = {-1};
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST_F(InPlace, NotThroughAnIndex) {
  run().accesses[0].indirect = kernel::Indirect{in, 0, {1}, 1, 64};
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST_F(InPlace, NotInAKernelThatReduces) {
  Loop& loop = run();
  Instr reduce;
  reduce.op = TapeOp::reduce;
  reduce.fn = ir::Opcode::sum;
  reduce.args[0] = 0;
  loop.tape.push_back(reduce);
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST_F(InPlace, NotWhenTheOperandIsStoredAfterTheResult) {
  Planner::store(run(), p.buffer(BufferKind::result, 64), 0);
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST_F(InPlace, NotBetweenElementsOfDifferentWidth) {
  p.program.buffers[static_cast<std::size_t>(a)].dtype = boolean;
  run();
  finish();
  EXPECT_NE(p.offset(a), p.offset(b)) << "in float64 evaluation f32 takes eight bytes";
}

TEST_F(InPlace, NotWhenTheDeviceForbidsIt) {
  p.limits.in_place = false;
  run();
  finish();
  EXPECT_NE(p.offset(a), p.offset(b));
}

TEST(Check, FindsOverlap) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 64), a = p.scratch(64), b = p.scratch(64);
  p.map(64, {in}, a);
  p.map(64, {in}, b);
  p.map(64, {a, b}, p.buffer(BufferKind::result, 64));
  p.place();
  p.program.buffers[static_cast<std::size_t>(b)].offset = p.offset(a);
  EXPECT_THROW(check_placement(p.program, p.limits), InternalError);
}

TEST(Check, FindsAMissingPlace) {
  Planner p;
  p.map(64, {p.buffer(BufferKind::input, 64)}, p.scratch(64));
  EXPECT_THROW(check_placement(p.program, p.limits), InternalError);
}

TEST(Check, TakesAnOverlapOnlyAtTheSameOffset) {
  Planner p;
  const int in = p.buffer(BufferKind::input, 128), a = p.scratch(128), b = p.scratch(128);
  p.map(128, {in}, a);
  p.map(128, {a}, b);
  p.map(128, {b}, p.buffer(BufferKind::result, 128));
  p.place();
  ASSERT_EQ(p.offset(a), p.offset(b));
  p.program.buffers[static_cast<std::size_t>(b)].offset = p.offset(a) + 64;
  EXPECT_THROW(check_placement(p.program, p.limits), InternalError);
}

}  // namespace
}  // namespace tensorgrad::plan

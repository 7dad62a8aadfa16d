// Form names, uses and the text of a program.
#include "tensorgrad/kernel/kernel.h"

#include <gtest/gtest.h>

namespace tensorgrad::kernel {
namespace {

Access access(int buffer, std::vector<std::int64_t> strides, std::int64_t offset = 0) {
  Access out;
  out.buffer = buffer;
  out.offset = offset;
  out.strides = std::move(strides);
  return out;
}

Instr load(int access) { return {.op = TapeOp::load, .access = access}; }
Instr store(int access, int value) {
  return {.op = TapeOp::store, .args = {value, -1, -1}, .access = access};
}

Loop relu(int from, int to) {
  Loop loop;
  loop.extents = {8};
  loop.reduced = {false};
  loop.accesses = {access(from, {1}), access(to, {1})};
  loop.tape = {
      load(0), {.op = TapeOp::scalar, .fn = ir::Opcode::relu, .args = {0, -1, -1}}, store(1, 1)};
  return loop;
}

Kernel kernel(Body body) {
  Kernel out;
  out.name = "test";
  out.body = std::move(body);
  return out;
}

TEST(KernelTest, FormOfALoopFollowsItsReducedAxes) {
  Loop loop = relu(0, 1);
  EXPECT_EQ(form(Body(loop)), "map");
  loop.reduced = {true};
  loop.tape = {load(0),
               {.op = TapeOp::reduce, .fn = ir::Opcode::sum, .row = true, .args = {0, -1, -1}},
               store(1, 1)};
  loop.tape[2].row = true;
  EXPECT_EQ(form(Body(loop)), "reduce");
  loop.tape[2] = {.op = TapeOp::scalar, .fn = ir::Opcode::sub, .args = {0, 1, -1}};
  loop.tape.push_back(store(1, 2));
  EXPECT_EQ(form(Body(loop)), "rowwise");
  EXPECT_EQ(form(Body(Contract{})), "contract");
  EXPECT_EQ(form(Body(Window{})), "window");
  EXPECT_EQ(form(Body(Scatter{})), "index");
}

TEST(KernelTest, UsesListEachBufferOnceAndNotTheAccumulator) {
  Contract contract;
  contract.a = access(0, {1, 1});
  contract.b = access(1, {1, 1});
  contract.c = access(2, {1, 1});
  contract.accumulate = true;
  contract.epilogue = relu(kAccumulator, 3);
  const Uses found = uses(kernel(contract));
  EXPECT_EQ(found.reads, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(found.writes, (std::vector<int>{2, 3}));
}

TEST(KernelTest, UsesOfAnIndirectAccessIncludeTheIndices) {
  Loop loop = relu(0, 1);
  loop.accesses[0].indirect = Indirect{.buffer = 4, .strides = {1}, .stride = 8, .bound = 3};
  EXPECT_EQ(uses(kernel(loop)).reads, (std::vector<int>{0, 4}));
}

TEST(KernelTest, UsesOfWindowsAndScatters) {
  Window window;
  window.kind = WindowKind::max_backward;
  window.input = access(0, {});
  window.output = access(1, {});
  window.index = access(2, {});
  EXPECT_EQ(uses(kernel(window)).reads, (std::vector<int>{1, 2}));
  EXPECT_EQ(uses(kernel(window)).writes, (std::vector<int>{0}));
  Scatter scatter;
  scatter.source = access(0, {});
  scatter.index = access(1, {});
  scatter.destination = access(2, {});
  EXPECT_EQ(uses(kernel(scatter)).reads, (std::vector<int>{0, 1}));
  EXPECT_EQ(uses(kernel(scatter)).writes, (std::vector<int>{2}));
}

TEST(KernelTest, PrintsAProgram) {
  Program program;
  program.buffers = {{.kind = BufferKind::input, .numel = 8, .name = "x"},
                     {.kind = BufferKind::scratch, .numel = 8, .offset = 64, .name = {}}};
  Loop loop = relu(0, 1);
  loop.accesses[0].guards = {{0, 1, 7}};
  loop.accesses[0].fill = 0.1;
  program.kernels = {kernel(loop)};
  program.kernels[0].location = {"train.cpp", 41};
  program.results = {{.buffer = 1, .shape = {2, 4}}};
  program.finite_checks = {{.result = 0, .name = "loss"}};
  program.scratch_numel = 128;
  EXPECT_EQ(print(program),
            "scratch 128\n"
            "b0 input 0 : f32 x 8 'x'\n"
            "b1 scratch at 64 : f32 x 8\n"
            "k0 map 'test' at train.cpp:41\n"
            "  over [8]\n"
            "  r0 = load b0[0; 1] where 1<=i0<7 else 0.1 : f32\n"
            "  r1 = relu r0 : f32\n"
            "  r2 = store b1[0; 1] r1 : f32\n"
            "result 0 = b1 : f32[2,4]\n"
            "finite 'loss' = result 0\n");
}

TEST(KernelTest, PrintsContractionsWindowsAndScatters) {
  Program program;
  Contract matmul;
  matmul.m = 2;
  matmul.n = 3;
  matmul.k = 4;
  matmul.a = access(0, {4, 1});
  matmul.b = access(1, {3, 1});
  matmul.epilogue = relu(kAccumulator, 2);
  program.kernels = {kernel(matmul), kernel(Window{}), kernel(Scatter{})};
  const std::string out = print(program);
  EXPECT_NE(out.find("matmul batch [] m 2 n 3 k 4"), std::string::npos) << out;
  EXPECT_NE(out.find("r0 = load acc[0; 1] : f32"), std::string::npos) << out;
  EXPECT_NE(out.find("max_forward input [0,0,0,0]"), std::string::npos) << out;
  EXPECT_NE(out.find("source [] axis 0 of 0 : f32"), std::string::npos) << out;
}

}  // namespace
}  // namespace tensorgrad::kernel

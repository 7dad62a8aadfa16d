// The CPU as a device: memory and its conversions, programs of several kernels, the status of a
// run, predicated kernels, and the list of backends.
#include "tensorgrad/backend/cpu/executable.h"

#include <gtest/gtest.h>

#include <limits>

#include "tensorgrad/backend/cpu/runner_test.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using backend::Precision;
using std::int64_t;

std::shared_ptr<backend::Device> device() { return backend::open_backend("cpu"); }

std::vector<float> floats(const backend::Memory& memory, int64_t offset, std::size_t count) {
  std::vector<float> out(count);
  memory.read(offset, std::span<float>(out));
  return out;
}

TEST(MemoryTest, StartsAtZeroAndConvertsBetweenPrecisions) {
  for (Precision precision : {Precision::f32, Precision::f64}) {
    const auto memory = device()->allocate(100, precision, "test");
    EXPECT_EQ(memory->numel(), 100);
    EXPECT_EQ(floats(*memory, 0, 100), std::vector<float>(100, 0));
    const std::vector<float> some{1.5f, -2.25f, 3};
    memory->write(10, std::span<const float>(some));
    EXPECT_EQ(floats(*memory, 10, 3), some);
    const std::vector<double> third{1.0 / 3};
    memory->write(20, std::span<const double>(third));
    std::vector<double> back(1);
    memory->read(20, std::span<double>(back));
    EXPECT_EQ(back[0], precision == Precision::f64 ? third[0] : static_cast<double>(1.0f / 3));
    const std::vector<std::int32_t> indices{7, -1, 1 << 30};
    memory->write(30, std::span<const std::int32_t>(indices));
    std::vector<std::int32_t> read(3);
    memory->read(30, std::span<std::int32_t>(read));
    EXPECT_EQ(read, indices);
    EXPECT_EQ(floats(*memory, 10, 3), some);
  }
}

TEST(MemoryTest, BlocksAreAligned) {
  for (int64_t numel : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{3} << 20}) {
    const CpuMemory memory(numel, Precision::f32, "test");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.address(0)) % 64, 0u);
  }
}

TEST(MemoryTest, RefusesWhatTheMachineDoesNotHave) {
  for (int64_t numel : {int64_t{1} << 50, std::numeric_limits<int64_t>::max()}) {
    try {
      device()->allocate(numel, Precision::f64, "activations");
      ADD_FAILURE() << "nothing thrown";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("memory: 'activations' needs "), std::string::npos)
          << error.what();
    }
  }
}

TEST(MemoryTest, TransfersOutsideTheBlockAreRefused) {
  const auto memory = device()->allocate(4, Precision::f32, "test");
  const std::vector<float> values(3);
  EXPECT_THROW(memory->write(2, std::span<const float>(values)), InternalError);
  EXPECT_THROW(memory->write(-1, std::span<const float>(values)), InternalError);
}

kernel::Buffer buffer(int64_t numel, DType dtype = DType::f32) {
  kernel::Buffer out;
  out.numel = numel;
  out.dtype = dtype;
  return out;
}

kernel::Kernel kernel_of(kernel::Body body, bool predicated = false) {
  kernel::Kernel out;
  out.name = "test";
  out.body = std::move(body);
  out.predicated = predicated;
  return out;
}

// to = relu(from), elementwise.
kernel::Loop relu(int64_t count, int from, int to) {
  kernel::Loop loop = bias_relu({count}, 0, from, to, {1});
  loop.accesses[0] = access_of(from, {1});
  loop.tape[1] = loop.tape[0];
  loop.tape[2] = loop.tape[0];
  return loop;
}

// A program over one block of memory, its buffers one after the other.
class Bound {
 public:
  Bound(const kernel::Program& program, Precision precision, int threads)
      : executable_(device()->load(program, precision, threads)) {
    int64_t size = 0;
    for (const kernel::Buffer& buffer : program.buffers) {
      offsets_.push_back(size);
      size += (buffer.numel + 63) / 64 * 64;
    }
    memory_ = device()->allocate(size, precision, "test");
    std::vector<backend::Binding> bindings;
    for (int64_t offset : offsets_) bindings.push_back({memory_.get(), offset});
    executable_->bind(bindings);
  }
  template <class T>
  void set(std::size_t i, const std::vector<T>& values) {
    memory_->write(offsets_[i], std::span<const T>(values));
  }
  std::vector<float> get(std::size_t i, std::size_t count) const {
    return floats(*memory_, offsets_[i], count);
  }
  backend::Executable& executable() { return *executable_; }

 private:
  std::unique_ptr<backend::Executable> executable_;
  std::shared_ptr<backend::Memory> memory_;
  std::vector<int64_t> offsets_;
};

// 0 x [m,k], 1 w [k,n], 2 bias [n], 3 hidden [m,n], 4 result [m,n]
kernel::Program layer(int64_t m, int64_t k, int64_t n) {
  kernel::Program program;
  program.buffers = {buffer(m * k), buffer(k * n), buffer(n), buffer(m * n), buffer(m * n)};
  kernel::Contract product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.a = access_of(0, {k, 1});
  product.b = access_of(1, {n, 1});
  product.epilogue = bias_relu({m, n}, 1, 2, 3, {n, 1});
  program.kernels = {kernel_of(product), kernel_of(relu(m * n, 3, 4))};
  return program;
}

TEST(ExecutableTest, RunsKernelsInOrderWithTheSameBitsForAnyNumberOfThreads) {
  for (Precision precision : {Precision::f32, Precision::f64}) {
    std::vector<float> first;
    for (int threads : {1, 2, 3, 8, 0}) {
      Bound bound(layer(200, 70, 90), precision, threads);
      bound.set(0, real_numbers<float>(200 * 70, 1));
      bound.set(1, real_numbers<float>(70 * 90, 2));
      bound.set(2, real_numbers<float>(90, 3));
      EXPECT_FALSE(bound.executable().run({}));
      const std::vector<float> result = bound.get(4, 200 * 90);
      EXPECT_EQ(result, bound.get(3, 200 * 90));
      if (threads == 1) first = result;
      EXPECT_TRUE(same_bits(first, result));
    }
  }
}

TEST(ExecutableTest, ProfileTimesEveryKernel) {
  Bound bound(layer(20, 7, 9), Precision::f32, 2);
  std::vector<backend::KernelTime> times(5);
  EXPECT_FALSE(bound.executable().profile({}, times));
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[1].kernel, 1);
  EXPECT_GE(times[1].milliseconds, 0);
}

// 0 source [4], 1 index [4], 2 sums [3], 3 state [3]: a scatter, then an update of the state.
kernel::Program scatter_then_update() {
  kernel::Program program;
  program.buffers = {buffer(4), buffer(4, DType::i32), buffer(3), buffer(3),
                     buffer(1, DType::boolean)};
  kernel::Scatter scatter;
  scatter.source_extents = {4};
  scatter.destination_extent = 3;
  scatter.source = access_of(0, {1});
  scatter.index = access_of(1, {1});
  scatter.destination = access_of(2, {1});
  program.kernels = {kernel_of(relu(4, 0, 0)), kernel_of(scatter), kernel_of(relu(3, 2, 3), true)};
  return program;
}

TEST(ExecutableTest, ABadIndexSkipsPredicatedKernels) {
  for (Precision precision : {Precision::f32, Precision::f64}) {
    Bound bound(scatter_then_update(), precision, 2);
    bound.set(0, std::vector<float>{1, 2, 3, 4});
    bound.set(1, std::vector<std::int32_t>{0, 2, 3, 2});
    bound.set(3, std::vector<float>{9, 9, 9});
    const backend::RunStatus status = bound.executable().run({});
    EXPECT_TRUE(status.bad_index);
    EXPECT_EQ(status.kernel, 1);
    EXPECT_EQ(status.index_value, 3);
    EXPECT_EQ(status.index_bound, 3);
    EXPECT_EQ(bound.get(3, 3), (std::vector<float>{9, 9, 9}));
    bound.set(1, std::vector<std::int32_t>{0, 2, 1, 2});
    EXPECT_FALSE(bound.executable().run({}));
    EXPECT_EQ(bound.get(3, 3), (std::vector<float>{1, 3, 6}));
  }
}

TEST(ExecutableTest, AFiniteCheckThatSaysNoSkipsPredicatedKernels) {
  kernel::Program program = scatter_then_update();
  kernel::Result result;
  result.buffer = 4;
  result.dtype = DType::boolean;
  program.results = {result};
  program.finite_checks = {{0, "loss"}};
  Bound bound(program, Precision::f32, 2);
  bound.set(0, std::vector<float>{1, 2, 3, 4});
  bound.set(3, std::vector<float>{9, 9, 9});
  const backend::RunStatus status = bound.executable().run({});
  EXPECT_TRUE(status.non_finite);
  EXPECT_FALSE(status.bad_index);
  EXPECT_EQ(status.check, 0);
  EXPECT_EQ(bound.get(3, 3), (std::vector<float>{9, 9, 9}));
  bound.set(4, std::vector<std::int32_t>{1});
  EXPECT_FALSE(bound.executable().run({}));
  EXPECT_EQ(bound.get(3, 3), (std::vector<float>{10, 0, 0}));
}

TEST(ExecutableTest, BindingsThatDoNotFitAreRefused) {
  const auto executable = device()->load(layer(4, 4, 4), Precision::f32, 1);
  const auto memory = device()->allocate(64, Precision::f32, "test");
  const auto doubles = device()->allocate(64, Precision::f64, "test");
  std::vector<backend::Binding> bindings(5, {memory.get(), 0});
  EXPECT_NO_THROW(executable->bind(bindings));
  bindings[1].offset = 60;
  EXPECT_THROW(executable->bind(bindings), InternalError);
  bindings[1] = {doubles.get(), 0};
  EXPECT_THROW(executable->bind(bindings), InternalError);
  bindings.pop_back();
  EXPECT_THROW(executable->bind(bindings), InternalError);
  EXPECT_THROW(device()->load(layer(4, 4, 4), Precision::f32, -1), UsageError);
}

TEST(BackendsTest, TheCpuIsThereAndSharedAndOthersAreNamed) {
  EXPECT_EQ(device(), device());
  EXPECT_EQ(device()->name(), "cpu");
  const auto list = backend::list_backends();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].name, "cpu");
  EXPECT_TRUE(list[0].usable);
  EXPECT_NE(list[0].detail.find("core"), std::string::npos);
  try {
    backend::open_backend("abacus");
    ADD_FAILURE() << "nothing thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("'cpu'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tensorgrad::cpu

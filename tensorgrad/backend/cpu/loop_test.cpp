// The loop executor against a naive interpreter, and the facts that are easy to get wrong: long
// sums, NaN and ties in reductions, bad indices, results over their own operands, equal bits for
// any number of threads.
#include "tensorgrad/backend/cpu/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tensorgrad/backend/cpu/loop_random_test.h"
#include "tensorgrad/backend/cpu/loop_reference_test.h"

namespace tensorgrad::cpu {
namespace {

using backend::Precision;
using kernel::Access;
using kernel::Instr;
using kernel::Loop;
using kernel::TapeOp;

constexpr std::uint64_t kSeed = 0x123456789abcdef0, kCounter = 77;

/// Buffers of the evaluation precision made from doubles.
class DeviceBuffers {
 public:
  DeviceBuffers(const reference::Buffers& values, const std::vector<DType>& dtypes,
                Precision precision)
      : dtypes_(dtypes), precision_(precision) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto& bytes = memory_.emplace_back(values[i].size() * width(i));
      for (std::size_t k = 0; k < values[i].size(); ++k) {
        if (dtypes[i] != DType::f32) {
          put<std::int32_t>(bytes, k, values[i][k]);
        } else if (precision == Precision::f64) {
          put<double>(bytes, k, values[i][k]);
        } else {
          put<float>(bytes, k, values[i][k]);
        }
      }
    }
    for (auto& bytes : memory_) pointers_.push_back(bytes.data());
  }
  std::span<void* const> pointers() const { return pointers_; }
  std::size_t size(std::size_t i) const { return memory_[i].size() / width(i); }
  const std::vector<char>& bytes(std::size_t i) const { return memory_[i]; }
  double at(std::size_t i, std::size_t k) const {
    if (dtypes_[i] != DType::f32) return get<std::int32_t>(i, k);
    return precision_ == Precision::f64 ? get<double>(i, k) : get<float>(i, k);
  }

 private:
  std::size_t width(std::size_t i) const {
    return dtypes_[i] == DType::f32 && precision_ == Precision::f64 ? 8 : 4;
  }
  template <class T>
  static void put(std::vector<char>& bytes, std::size_t k, double value) {
    reinterpret_cast<T*>(bytes.data())[k] = static_cast<T>(value);
  }
  template <class T>
  double get(std::size_t i, std::size_t k) const {
    return static_cast<double>(reinterpret_cast<const T*>(memory_[i].data())[k]);
  }
  std::vector<DType> dtypes_;
  Precision precision_;
  std::vector<std::vector<char>> memory_;
  std::vector<void*> pointers_;
};

ThreadPool& pool(int threads) {
  static ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(3), ThreadPool(8)};
  return pools[threads == 8 ? 3 : threads - 1];
}

void run(const Loop& loop, Precision precision, int threads, const DeviceBuffers& buffers,
         RunStatusSink* status = nullptr) {
  LoopRunner::make(loop, precision)
      ->run(pool(threads), {buffers.pointers(), kSeed, kCounter, status});
}

void expect_close(const DeviceBuffers& got, const reference::Buffers& want, std::size_t buffer,
                  double tolerance) {
  double scale = 1;
  for (double v : want[buffer]) scale = std::max(scale, std::fabs(v));
  for (std::size_t k = 0; k < want[buffer].size(); ++k) {
    ASSERT_NEAR(got.at(buffer, k), want[buffer][k], tolerance * scale) << "element " << k;
  }
}

class RandomLoops : public ::testing::TestWithParam<int> {};

TEST_P(RandomLoops, AgreeWithTheNaiveInterpreter) {
  for (int i = 0; i < 40; ++i) {
    const int seed = GetParam() * 1000 + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomLoop made = LoopGenerator(static_cast<std::uint32_t>(seed)).make();
    reference::Buffers want = made.buffers;
    reference::Interpreter(made.loop, want, kSeed, kCounter).run();
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const DeviceBuffers one(made.buffers, made.dtypes, precision);
      run(made.loop, precision, 1, one);
      for (std::size_t b = 0; b < want.size(); ++b) {
        SCOPED_TRACE("buffer " + std::to_string(b));
        expect_close(one, want, b, precision == Precision::f64 ? 1e-11 : 2e-4);
        if (HasFatalFailure()) return;
      }
      for (int threads : {2, 3, 8}) {
        const DeviceBuffers more(made.buffers, made.dtypes, precision);
        run(made.loop, precision, threads, more);
        for (std::size_t b = 0; b < want.size(); ++b) {
          ASSERT_EQ(one.bytes(b), more.bytes(b)) << "buffer " << b << ", " << threads << " threads";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoops, ::testing::Range(0, 20));

/// A loop over row-major buffers, built by hand.
struct Tape {
  Loop loop;
  int load(int buffer, std::vector<std::int64_t> strides, DType dtype = DType::f32) {
    Instr instr;
    instr.op = TapeOp::load;
    instr.dtype = dtype;
    instr.access = access(buffer, std::move(strides));
    return push(instr);
  }
  int scalar(ir::Opcode fn, int a, int b = -1, DType dtype = DType::f32) {
    Instr instr;
    instr.op = TapeOp::scalar;
    instr.fn = fn;
    instr.dtype = dtype;
    instr.args = {a, b, -1};
    return push(instr);
  }
  int reduce(ir::Opcode fn, int a, DType dtype = DType::f32) {
    Instr instr;
    instr.op = TapeOp::reduce;
    instr.fn = fn;
    instr.row = true;
    instr.dtype = dtype;
    instr.args[0] = a;
    return push(instr);
  }
  void store(int value, int buffer, std::vector<std::int64_t> strides, bool row = false,
             DType dtype = DType::f32) {
    Instr instr;
    instr.op = TapeOp::store;
    instr.row = row;
    instr.dtype = dtype;
    instr.args[0] = value;
    instr.access = access(buffer, std::move(strides));
    push(instr);
  }
  int access(int buffer, std::vector<std::int64_t> strides) {
    Access access;
    access.buffer = buffer;
    access.strides = std::move(strides);
    loop.accesses.push_back(std::move(access));
    return static_cast<int>(loop.accesses.size()) - 1;
  }
  int push(const Instr& instr) {
    loop.tape.push_back(instr);
    return static_cast<int>(loop.tape.size()) - 1;
  }
};

/// One reduction of all elements in f32.
double reduce_all(ir::Opcode fn, const std::vector<double>& values) {
  const bool arg = fn == ir::Opcode::argmax || fn == ir::Opcode::argmin;
  const DType dtype = arg ? DType::i32 : DType::f32;
  Tape tape;
  tape.loop.extents = {static_cast<std::int64_t>(values.size())};
  tape.loop.reduced = {true};
  tape.store(tape.reduce(fn, tape.load(0, {1}), dtype), 1, {0}, true, dtype);
  const DeviceBuffers buffers({values, {0}}, {DType::f32, dtype}, Precision::f32);
  run(tape.loop, Precision::f32, 2, buffers);
  return buffers.at(1, 0);
}

TEST(LoopSums, DoNotDrift) {
  EXPECT_EQ(reduce_all(ir::Opcode::sum, std::vector<double>(20'000'000, 1)), 20'000'000);
  EXPECT_EQ(reduce_all(ir::Opcode::sum, std::vector<double>(1'000'000, 100)), 100'000'000);
  EXPECT_NEAR(reduce_all(ir::Opcode::sum, std::vector<double>(1'000'000, 0.1)), 100000.0015, 0.01);
  std::vector<double> ramp(10000);
  std::iota(ramp.begin(), ramp.end(), 0.0);
  EXPECT_EQ(reduce_all(ir::Opcode::sum, ramp), 49995000);
}

TEST(LoopSums, DownColumnsDoNotDrift) {
  Tape tape;
  tape.loop.extents = {3'000'000, 2};
  tape.loop.reduced = {true, false};
  tape.store(tape.reduce(ir::Opcode::sum, tape.load(0, {2, 1})), 1, {0, 1}, true);
  const DeviceBuffers buffers({std::vector<double>(6'000'000, 1), {0, 0}}, {DType::f32, DType::f32},
                              Precision::f32);
  run(tape.loop, Precision::f32, 2, buffers);
  EXPECT_EQ(buffers.at(1, 0), 3'000'000);
  EXPECT_EQ(buffers.at(1, 1), 3'000'000);
}

TEST(LoopReductions, TiesAndNan) {
  using ir::Opcode;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reduce_all(Opcode::argmax, {1, 3, 3, 2}), 1);
  EXPECT_EQ(reduce_all(Opcode::argmin, {1, 0, 0}), 1);
  EXPECT_EQ(reduce_all(Opcode::argmax, std::vector<double>(5000, 7)), 0);
  EXPECT_EQ(reduce_all(Opcode::argmax, {3, nan, 1, 5, nan}), 1);
  EXPECT_EQ(reduce_all(Opcode::argmin, {3, nan, 1, 5, nan}), 1);
  EXPECT_EQ(reduce_all(Opcode::argmax, {-inf, -inf}), 0);
  std::vector<double> mod(2000);
  for (std::size_t i = 0; i < mod.size(); ++i) mod[i] = static_cast<double>(i % 3);
  EXPECT_EQ(reduce_all(Opcode::argmax, mod), 2);
  mod[1234] = nan;
  EXPECT_TRUE(std::isnan(reduce_all(Opcode::max, mod)));
  EXPECT_TRUE(std::isnan(reduce_all(Opcode::min, mod)));
  EXPECT_EQ(reduce_all(Opcode::max, {-inf, -inf, -inf}), -inf);
}

TEST(LoopElementwise, NanInfinityAndIntegersReachTheKernels) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Tape tape;
  tape.loop.extents = {4};
  tape.loop.reduced = {false};
  const int x = tape.load(0, {1});
  tape.store(tape.scalar(ir::Opcode::relu, x), 1, {1});
  tape.store(tape.scalar(ir::Opcode::sub, x, x), 2, {1});
  const int i = tape.load(3, {1}, DType::i32);
  tape.store(tape.scalar(ir::Opcode::mul, i, i, DType::i32), 4, {1}, false, DType::i32);
  const std::vector<double> zero(4, 0);
  const DeviceBuffers buffers({{nan, -1, inf, 2}, zero, zero, {65536, -3, 7, 2147483647}, zero},
                              {f32, f32, f32, i32, i32}, Precision::f32);
  run(tape.loop, Precision::f32, 1, buffers);
  EXPECT_TRUE(std::isnan(buffers.at(1, 0)));
  EXPECT_EQ(buffers.at(1, 1), 0);
  EXPECT_EQ(buffers.at(1, 2), inf);
  EXPECT_TRUE(std::isnan(buffers.at(2, 0)) && std::isnan(buffers.at(2, 2)));
  EXPECT_EQ(buffers.at(2, 3), 0);
  EXPECT_EQ(buffers.at(4, 0), 0);  // wraps
  EXPECT_EQ(buffers.at(4, 1), 9);
  EXPECT_EQ(buffers.at(4, 3), 1);
}

TEST(LoopElementwise, ResultsMayTakeTheMemoryOfTheirOperands) {
  Tape tape;  // a' = a + b; b' = a - b, both in place: b' needs the old a
  tape.loop.extents = {1024};
  tape.loop.reduced = {false};
  const int a = tape.load(0, {1}), b = tape.load(1, {1});
  const int sum = tape.scalar(ir::Opcode::add, a, b);
  tape.store(sum, 0, {1});
  tape.store(tape.scalar(ir::Opcode::sub, a, b), 1, {1});
  const DeviceBuffers buffers({std::vector<double>(1024, 5), std::vector<double>(1024, 2)},
                              {f32, f32}, Precision::f32);
  run(tape.loop, Precision::f32, 1, buffers);
  for (std::size_t k : {std::size_t{0}, std::size_t{1023}}) {
    EXPECT_EQ(buffers.at(0, k), 7);
    EXPECT_EQ(buffers.at(1, k), 3);
  }
}

TEST(LoopGather, BadIndicesAreReportedAndClamped) {
  Tape tape;  // rows of a [3, 20] table
  tape.loop.extents = {4, 20};
  tape.loop.reduced = {false, false};
  const int x = tape.load(0, {0, 1});
  tape.loop.accesses[0].indirect = kernel::Indirect{2, 0, {1, 0}, 20, 3};
  tape.store(x, 1, {20, 1});
  std::vector<double> table(60);
  std::iota(table.begin(), table.end(), 0.0);
  const DeviceBuffers buffers({table, std::vector<double>(80, 0), {1, -7, 2, 3}}, {f32, f32, i32},
                              Precision::f32);
  RunStatusSink status;
  run(tape.loop, Precision::f32, 2, buffers, &status);
  EXPECT_TRUE(status.status().bad_index);
  EXPECT_EQ(status.status().index_value, -7);
  EXPECT_EQ(status.status().index_bound, 3);
  EXPECT_EQ(buffers.at(1, 5), 25);
  EXPECT_EQ(buffers.at(1, 25), 5);
  EXPECT_EQ(buffers.at(1, 65), 45);
}

TEST(LoopBoxes, ReadAccumulatorsOfAnyLayout) {
  // y[i, j] = relu(accumulator + bias[j]) over the box [1, 4) x [16, 48) of a [5, 50] space.
  Tape tape;
  tape.loop.extents = {5, 50};
  tape.loop.reduced = {false, false};
  const int acc = tape.load(kernel::kAccumulator, {50, 1});
  const int bias = tape.load(0, {0, 1});
  tape.store(tape.scalar(ir::Opcode::relu, tape.scalar(ir::Opcode::add, acc, bias)), 1, {50, 1});
  std::vector<double> biases(50);
  for (std::size_t j = 0; j < 50; ++j) biases[j] = static_cast<double>(j) - 30;
  for (const bool transposed : {false, true}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const DeviceBuffers buffers({biases, std::vector<double>(250, -9)}, {f32, f32}, precision);
      std::vector<double> wide(3 * 40);
      std::vector<float> narrow(3 * 40);
      for (std::size_t k = 0; k < wide.size(); ++k) {
        wide[k] = static_cast<double>(k) / 4;
        narrow[k] = static_cast<float>(wide[k]);
      }
      const std::int64_t strides[] = {transposed ? 1 : 40, transposed ? 3 : 1};
      const void* first = precision == Precision::f64 ? static_cast<const void*>(wide.data())
                                                      : static_cast<const void*>(narrow.data());
      const std::int64_t begin[] = {1, 16}, end[] = {4, 48};
      LoopRunner::make(tape.loop, precision)
          ->run_box({buffers.pointers(), kSeed, kCounter, nullptr}, begin, end, first, strides);
      for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t j = 0; j < 50; ++j) {
          const bool inside = i >= 1 && i < 4 && j >= 16 && j < 48;
          const double product =
              static_cast<double>((i - 1) * strides[0] + (j - 16) * strides[1]) / 4;
          const double want = inside ? std::max(0.0, product + static_cast<double>(j) - 30) : -9.0;
          ASSERT_EQ(buffers.at(1, static_cast<std::size_t>(i * 50 + j)), want) << i << "," << j;
        }
      }
    }
  }
}

TEST(LoopRandom, StaysInsideTheUnitIntervalAndFollowsItsCounter) {
  Tape tape;
  tape.loop.extents = {100'000};
  tape.loop.reduced = {false};
  Instr random;
  random.op = TapeOp::random;
  random.ordinal = 3;
  random.access = tape.access(kernel::kNoBuffer, {1});
  tape.store(tape.push(random), 0, {1});
  const DeviceBuffers buffers({std::vector<double>(100'000, 0)}, {f32}, Precision::f32);
  run(tape.loop, Precision::f32, 2, buffers);
  double sum = 0;
  for (std::size_t k = 0; k < 100'000; ++k) {
    ASSERT_GT(buffers.at(0, k), 0);
    ASSERT_LT(buffers.at(0, k), 1);
    sum += buffers.at(0, k);
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

}  // namespace
}  // namespace tensorgrad::cpu

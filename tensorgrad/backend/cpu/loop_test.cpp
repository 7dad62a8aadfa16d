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

}  // namespace
}  // namespace tensorgrad::cpu

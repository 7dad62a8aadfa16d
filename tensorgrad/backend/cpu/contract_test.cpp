// Products and convolutions against naive loops, exactly (small integers), with any strides, and
// with the same bits for any number of threads.
#include "tensorgrad/backend/cpu/contract.h"

#include <gtest/gtest.h>

#include "tensorgrad/backend/cpu/boxes.h"
#include "tensorgrad/backend/cpu/runner_test.h"

namespace tensorgrad::cpu {
namespace {

using kernel::Contract;
using kernel::ContractKind;
using std::int64_t;

// What is at [batch…, m, n] after the product, before the epilogue, by the definition.
template <class F>
F product_at(const Contract& contract, const std::vector<F>& a, const std::vector<F>& b,
             const std::vector<int64_t>& at) {
  const std::size_t rank = contract.batch.size();
  int64_t ia = contract.a.offset, ib = contract.b.offset;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    ia += at[axis] * contract.a.strides[axis];
    ib += at[axis] * contract.b.strides[axis];
  }
  ia += at[rank] * contract.a.strides[rank];
  ib += at[rank + 1] * contract.b.strides[rank + 1];
  F sum{0};
  for (int64_t k = 0; k < contract.k; ++k) {
    sum += a[static_cast<std::size_t>(ia + k * contract.a.strides[rank + 1])] *
           b[static_cast<std::size_t>(ib + k * contract.b.strides[rank])];
  }
  return sum;
}

template <class F>
std::vector<F>& numbers(TestBuffers<F>& buffers, std::size_t i) {
  return std::get<std::vector<F>>(buffers[i]);
}

struct MatmulCase {
  std::vector<int64_t> batch;
  int64_t m, n, k;
  bool a_repeats, b_repeats;          // along the batch
  bool a_turned, b_turned, c_turned;  // stored transposed
  bool accumulate, epilogue, keep;
};

// Buffers: 0 a, 1 b, 2 c, 3 bias, 4 the epilogue's result.
Contract matmul_contract(const MatmulCase& test, std::array<int64_t, 5>& sizes) {
  const std::size_t rank = test.batch.size();
  const auto make = [&](int buffer, int64_t rows, int64_t cols, bool repeats, bool turned) {
    std::vector<int64_t> extents = test.batch;
    extents.push_back(rows);
    extents.push_back(cols);
    std::vector<int> order;
    for (std::size_t axis = 0; axis < rank + 2; ++axis) order.push_back(static_cast<int>(axis));
    if (turned) std::swap(order[rank], order[rank + 1]);
    std::vector<int64_t> strides = strides_in_order(extents, order);
    int64_t size = 1;
    for (int64_t extent : extents) size *= extent;
    if (repeats) std::fill_n(strides.begin(), rank, 0);
    sizes[static_cast<std::size_t>(buffer)] = size + 3;
    return access_of(buffer, strides, 3);
  };
  Contract contract;
  contract.batch = test.batch;
  contract.m = test.m;
  contract.n = test.n;
  contract.k = test.k;
  contract.a = make(0, test.m, test.k, test.a_repeats, test.a_turned);
  contract.b = make(1, test.k, test.n, test.b_repeats, test.b_turned);
  const kernel::Access c = make(2, test.m, test.n, false, test.c_turned);
  if (test.keep) contract.c = c;
  contract.accumulate = test.accumulate && test.keep;
  const kernel::Access result = make(4, test.m, test.n, false, false);
  sizes[3] = test.n;
  if (test.epilogue) {
    std::vector<int64_t> extents = test.batch;
    extents.push_back(test.m);
    extents.push_back(test.n);
    contract.epilogue = bias_relu(extents, rank + 1, 3, 4, result.strides);
    contract.epilogue->accesses[2].offset = result.offset;
  }
  return contract;
}

template <class F>
void check_matmul(const MatmulCase& test) {
  std::array<int64_t, 5> sizes{};
  const Contract contract = matmul_contract(test, sizes);
  TestBuffers<F> buffers;
  for (unsigned i = 0; i < 5; ++i) buffers.emplace_back(small_integers<F>(sizes[i], i + 1));
  const std::vector<F> a = numbers<F>(buffers, 0), b = numbers<F>(buffers, 1);
  std::vector<F> c = numbers<F>(buffers, 2), result = numbers<F>(buffers, 4);
  const auto runner = make_contract(contract, kPrecision<F>);
  run_kernel<F>(*runner, buffers, 2);
  std::vector<int64_t> extents = test.batch;
  extents.push_back(test.m);
  extents.push_back(test.n);
  std::vector<int64_t> at(extents.size(), 0);
  for (bool more = true; more;) {
    F value = product_at<F>(contract, a, b, at);
    if (contract.c) {
      int64_t place = contract.c->offset;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        place += at[axis] * contract.c->strides[axis];
      }
      F& kept = c[static_cast<std::size_t>(place)];
      value = kept = contract.accumulate ? kept + value : value;
    }
    if (contract.epilogue) {
      const kernel::Access& to = contract.epilogue->accesses[2];
      int64_t place = to.offset;
      for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * to.strides[axis];
      const F sum = value + numbers<F>(buffers, 3)[static_cast<std::size_t>(at.back())];
      result[static_cast<std::size_t>(place)] = sum > 0 ? sum : F{0};
    }
    more = false;
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < extents[axis]) {
        more = true;
        break;
      }
      at[axis] = 0;
    }
  }
  EXPECT_EQ(numbers<F>(buffers, 2), c);
  EXPECT_EQ(numbers<F>(buffers, 4), result);
}

// The same program on real numbers with several thread counts.
template <class F>
void check_bits(const Contract& contract, const std::array<int64_t, 5>& sizes) {
  const auto runner = make_contract(contract, kPrecision<F>);
  std::vector<F> c, result;
  for (int threads : {1, 2, 3, 8}) {
    TestBuffers<F> buffers;
    for (unsigned i = 0; i < 5; ++i) buffers.emplace_back(real_numbers<F>(sizes[i], i + 1));
    run_kernel<F>(*runner, buffers, threads);
    if (threads == 1) {
      c = numbers<F>(buffers, 2);
      result = numbers<F>(buffers, 4);
    }
    EXPECT_TRUE(same_bits(c, numbers<F>(buffers, 2))) << threads << " threads";
    EXPECT_TRUE(same_bits(result, numbers<F>(buffers, 4))) << threads << " threads";
  }
}

TEST(ContractTest, MatmulOfEveryShapeAndLayout) {
  std::mt19937 random(1);
  const std::vector<std::vector<int64_t>> batches{{}, {3}, {2, 3}, {4, 1, 2}, {1}};
  const std::vector<int64_t> extents{1, 2, 5, 16, 33, 70};
  for (int i = 0; i < 300; ++i) {
    const auto flip = [&] { return random() % 2 == 0; };
    MatmulCase test{batches[random() % batches.size()],
                    extents[random() % extents.size()],
                    extents[random() % extents.size()],
                    extents[random() % extents.size()],
                    flip(),
                    flip(),
                    flip(),
                    flip(),
                    flip(),
                    flip(),
                    flip(),
                    true};
    if (test.epilogue) test.keep = flip();
    SCOPED_TRACE(i);
    check_matmul<float>(test);
    check_matmul<double>(test);
  }
}

TEST(ContractTest, MatmulInManyChunks) {
  const std::vector<MatmulCase> cases{
      {{}, 300, 90, 64, false, false, false, false, false, false, true, false},
      {{}, 256, 64, 64, false, false, false, true, false, true, true, true},
      {{7}, 130, 200, 33, false, true, false, false, false, false, true, false},
      {{4, 3}, 70, 64, 48, false, true, false, false, true, false, true, true},
      {{50, 4}, 16, 16, 40, false, false, false, true, false, false, true, false},
      {{2, 40}, 24, 20, 40, true, false, true, false, false, true, false, true},
      {{}, 20, 300, 500, false, false, true, false, false, false, true, false},
      {{}, 24, 40, 9000, false, false, true, false, false, true, true, true},
      {{}, 17, 31, 5000, false, false, false, true, false, false, true, false},
      {{}, 1, 700, 700, false, false, false, false, false, false, true, true},
      {{600}, 1, 32, 32, false, true, false, false, false, false, true, false},
      {{}, 5000, 1, 64, false, false, false, false, false, false, true, false},
  };
  for (const MatmulCase& test : cases) {
    SCOPED_TRACE(test.m);
    check_matmul<float>(test);
    check_matmul<double>(test);
    std::array<int64_t, 5> sizes{};
    const Contract contract = matmul_contract(test, sizes);
    check_bits<float>(contract, sizes);
    check_bits<double>(contract, sizes);
  }
}

TEST(ContractTest, BoxesCoverARangeOnce) {
  const std::vector<int64_t> extents{3, 4, 5};
  for (int64_t first = 0; first <= 60; ++first) {
    for (int64_t last = first; last <= 60; ++last) {
      std::vector<int> seen(60, 0);
      int64_t next = first;
      for_each_box(extents, first, last, [&](const Point& begin, const Point& end, int64_t at) {
        EXPECT_EQ(at, next);
        for (int64_t i = begin[0]; i < end[0]; ++i) {
          for (int64_t j = begin[1]; j < end[1]; ++j) {
            for (int64_t k = begin[2]; k < end[2]; ++k, ++next) {
              EXPECT_EQ((i * 4 + j) * 5 + k, next);
              ++seen[static_cast<std::size_t>((i * 4 + j) * 5 + k)];
            }
          }
        }
      });
      for (int64_t i = 0; i < 60; ++i) {
        EXPECT_EQ(seen[static_cast<std::size_t>(i)], i >= first && i < last);
      }
    }
  }
}

}  // namespace
}  // namespace tensorgrad::cpu

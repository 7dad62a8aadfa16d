// The own matrix product against a plain loop on small integers, where every sum is exact, in every
// layout of the operands.
#include "tensorgrad/backend/cpu/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tensorgrad::cpu {
namespace {

template <class F>
class GemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTest, Types);

// How a rows x cols matrix lies in memory.
enum class Layout { kRowMajor, kColumnMajor, kPadded, kSpread, kRepeatRow, kRepeatColumn };

struct Strides {
  int64_t row;
  int64_t col;
};

Strides strides(Layout layout, int64_t rows, int64_t cols) {
  switch (layout) {
    case Layout::kRowMajor: return {cols, 1};
    case Layout::kColumnMajor: return {1, rows};
    case Layout::kPadded: return {cols + 5, 1};
    case Layout::kSpread: return {2 * cols + 3, 2};
    case Layout::kRepeatRow: return {0, 1};
    case Layout::kRepeatColumn: return {1, 0};
  }
  return {};
}

int64_t extent(Strides s, int64_t rows, int64_t cols) {
  return (rows - 1) * s.row + (cols - 1) * s.col + 1;
}

// Compares with a plain loop on small integers, so every result is exact.
template <class F>
void check(int64_t m, int64_t n, int64_t k, Layout a_layout, Layout b_layout, Layout c_layout,
           bool accumulate) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " layouts " +
               std::to_string(int(a_layout)) + std::to_string(int(b_layout)) +
               std::to_string(int(c_layout)) + (accumulate ? " accumulate" : ""));
  const Strides sa = strides(a_layout, m, std::max<int64_t>(k, 1));
  const Strides sb = strides(b_layout, std::max<int64_t>(k, 1), n);
  const Strides sc = strides(c_layout, m, n);
  std::mt19937 random(static_cast<unsigned>(m * 31 + n * 7 + k));
  const auto fill = [&](std::vector<F>& values) {
    for (F& value : values) value = static_cast<F>(static_cast<int>(random() % 15) - 7);
  };
  std::vector<F> a(extent(sa, m, std::max<int64_t>(k, 1)));
  std::vector<F> b(extent(sb, std::max<int64_t>(k, 1), n));
  std::vector<F> c(extent(sc, m, n));
  fill(a);
  fill(b);
  fill(c);
  std::vector<F> expected = c;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      F sum = accumulate ? c[i * sc.row + j * sc.col] : F{0};
      for (int64_t p = 0; p < k; ++p) {
        sum += a[i * sa.row + p * sa.col] * b[p * sb.row + j * sb.col];
      }
      expected[i * sc.row + j * sc.col] = sum;
    }
  }
  GemmArgs<F> args{m,      n,      k,        a.data(), sa.row, sa.col,    b.data(),
                   sb.row, sb.col, c.data(), sc.row,   sc.col, accumulate};
  gemm(args);
  // Gaps between elements of c must keep their values, so the whole buffer is compared.
  ASSERT_EQ(c, expected);
}

TYPED_TEST(GemmTest, TilesThatAreNotFilled) {
  const int64_t sizes[][3] = {{1, 1, 1},    {17, 5, 33},  {33, 129, 15},
                              {1, 300, 70}, {70, 300, 1}, {535, 64, 31}};
  const double last[] = {30, 16, -4, 8, -37, -31};
  const double sum[] = {30, 3, 0, 4, -39, 34};
  const double absolute[] = {30, 14387, 15486, 2060, 2359, 707720};
  const double middle[] = {30, 17, 1, -52, -6, -47};
  for (int index = 0; index < 6; ++index) {
    const auto [m, k, n] = sizes[index];
    std::vector<TypeParam> a(m * k), b(k * n), c(m * n, TypeParam{99});
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t p = 0; p < k; ++p)
        a[i * k + p] = static_cast<TypeParam>((7 * i + 3 * p) % 11 - 5);
    }
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j)
        b[p * n + j] = static_cast<TypeParam>((5 * p + 2 * j) % 13 - 6);
    }
    gemm(GemmArgs<TypeParam>{m, n, k, a.data(), k, 1, b.data(), n, 1, c.data(), n, 1, false});
    double total = 0;
    double total_absolute = 0;
    for (TypeParam value : c) {
      total += value;
      total_absolute += std::abs(value);
    }
    EXPECT_EQ(c.back(), last[index]);
    EXPECT_EQ(total, sum[index]);
    EXPECT_EQ(total_absolute, absolute[index]);
    EXPECT_EQ(c[m / 2 * n + n / 2], middle[index]);
  }
}

TYPED_TEST(GemmTest, EveryLayoutAndRemainder) {
  const Layout inputs[] = {Layout::kRowMajor, Layout::kColumnMajor, Layout::kPadded,
                           Layout::kSpread,   Layout::kRepeatRow,   Layout::kRepeatColumn};
  const Layout outputs[] = {Layout::kRowMajor, Layout::kColumnMajor, Layout::kPadded,
                            Layout::kSpread};
  const int64_t sizes[][3] = {{1, 1, 1},   {8, 8, 16},   {1, 37, 40},  {37, 1, 40}, {3, 2, 65},
                              {15, 31, 7}, {33, 70, 20}, {5, 35, 270}, {4, 4, 64}};
  for (const auto& [m, n, k] : sizes) {
    for (Layout a : inputs) {
      for (Layout b : inputs) {
        for (Layout c : outputs) {
          for (bool accumulate : {false, true}) {
            check<TypeParam>(m, n, k, a, b, c, accumulate);
            if (this->HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TYPED_TEST(GemmTest, SizesBeyondEveryBlock) {
  for (Layout a : {Layout::kRowMajor, Layout::kColumnMajor, Layout::kSpread}) {
    for (Layout b : {Layout::kRowMajor, Layout::kColumnMajor, Layout::kSpread}) {
      for (Layout c : {Layout::kRowMajor, Layout::kColumnMajor, Layout::kSpread}) {
        check<TypeParam>(141, 300, 270, a, b, c, true);
        check<TypeParam>(300, 600, 9, a, b, c, false);
      }
    }
  }
}

TYPED_TEST(GemmTest, SumOverNothing) {
  check<TypeParam>(5, 7, 0, Layout::kRowMajor, Layout::kRowMajor, Layout::kSpread, false);
  check<TypeParam>(5, 7, 0, Layout::kRowMajor, Layout::kRowMajor, Layout::kSpread, true);
  gemm(GemmArgs<TypeParam>{});
}

TYPED_TEST(GemmTest, NanAndInfinityPropagate) {
  constexpr TypeParam kNan = std::numeric_limits<TypeParam>::quiet_NaN();
  constexpr TypeParam kInfinity = std::numeric_limits<TypeParam>::infinity();
  std::vector<TypeParam> a{kNan, 0, 0, 1}, b{0, kInfinity, 1, 1}, c(4);
  gemm(GemmArgs<TypeParam>{2, 2, 2, a.data(), 2, 1, b.data(), 2, 1, c.data(), 2, 1, false});
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_TRUE(std::isnan(c[1]));
  EXPECT_EQ(c[2], 1);
  EXPECT_TRUE(std::isnan(c[3]));
}

TYPED_TEST(GemmTest, BatchesEqualSingleProducts) {
  constexpr int64_t kCount = 9;
  std::vector<TypeParam> a(kCount * 8 * 16), b(16 * 8), c(kCount * 64), expected(kCount * 64);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<TypeParam>(i % 13) - 6;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<TypeParam>(i % 7) - 3;
  GemmArgs<TypeParam> args{8, 8, 16, a.data(), 16, 1, b.data(), 1, 16, c.data(), 8, 1, false};
  gemm_batched(args, GemmBatch{kCount, 8 * 16, 0, 64});
  for (int64_t i = 0; i < kCount; ++i) {
    args.a = a.data() + i * 8 * 16;
    args.c = expected.data() + i * 64;
    gemm(args);
  }
  EXPECT_EQ(c, expected);
}

}  // namespace
}  // namespace tensorgrad::cpu

// Max pooling and its gradient against naive loops, in both layouts, and known results: padding,
// infinities, NaN, overlapping windows and ties.
#include "tensorgrad/backend/cpu/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensorgrad/backend/cpu/runner_test.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;
using Sizes = std::array<int64_t, 4>;

int64_t count(const Sizes& shape) { return shape[0] * shape[1] * shape[2] * shape[3]; }

struct Pool {
  Sizes input, output;
  ir::Pool2dAttrs attrs;
};

Pool make_pool(Sizes input, ir::Pool2dAttrs attrs) {
  Pool pool{input, {input[0], input[1], 0, 0}, attrs};
  for (std::size_t i = 0; i < 2; ++i) {
    pool.output[i + 2] =
        (input[i + 2] + 2 * attrs.padding[i] - attrs.kernel[i]) / attrs.stride[i] + 1;
  }
  return pool;
}

std::vector<int64_t> strides_of(const Sizes& shape, bool last) {
  return strides_in_order({shape.begin(), shape.end()},
                          last ? std::vector<int>{0, 2, 3, 1} : std::vector<int>{0, 1, 2, 3});
}

// Buffers: 0 input or its gradient, 1 output or cotangent, 2 index.
kernel::Window window_of(const Pool& pool, kernel::WindowKind kind, bool last) {
  kernel::Window window;
  window.kind = kind;
  window.pool = pool.attrs;
  window.input_shape = pool.input;
  window.output_shape = pool.output;
  window.input = access_of(0, strides_of(pool.input, last));
  window.output = access_of(1, strides_of(pool.output, last));
  window.index = access_of(2, strides_of(pool.output, last));
  return window;
}

template <class F>
struct PoolRun {
  std::vector<F> input, output;  // in the order of memory
  std::vector<std::int32_t> index;
};

template <class F>
PoolRun<F> run_window(const kernel::Window& window, const PoolRun<F>& from, int threads = 2) {
  TestBuffers<F> buffers;
  buffers.emplace_back(from.input);
  buffers.emplace_back(from.output);
  buffers.emplace_back(from.index);
  run_kernel<F>(*make_window(window, kPrecision<F>), buffers, threads);
  return {std::get<0>(buffers[0]), std::get<0>(buffers[1]), std::get<1>(buffers[2])};
}

// Forward, then backward with `cotangent`.
template <class F>
PoolRun<F> there_and_back(const Pool& pool, bool last, std::vector<F> input,
                          std::vector<F> cotangent, std::vector<F>* gradient, int threads = 2) {
  const auto outputs = static_cast<std::size_t>(count(pool.output));
  const PoolRun<F> forward = run_window<F>(
      window_of(pool, kernel::WindowKind::max_forward, last),
      {std::move(input), std::vector<F>(outputs), std::vector<std::int32_t>(outputs)}, threads);
  *gradient = run_window<F>(window_of(pool, kernel::WindowKind::max_backward, last),
                            {std::vector<F>(forward.input.size(), F{99}), std::move(cotangent),
                             forward.index},
                            threads)
                  .input;
  return forward;
}

template <class F>
void check(const Pool& pool, bool last, unsigned seed) {
  std::vector<F> input = small_integers<F>(count(pool.input), seed);
  if (seed % 3 == 0) input[0] = std::numeric_limits<F>::quiet_NaN();
  if (seed % 4 == 0) input.back() = -std::numeric_limits<F>::infinity();
  const std::vector<F> cotangent = small_integers<F>(count(pool.output), seed + 1);
  std::vector<F> gradient;
  const PoolRun<F> forward = there_and_back<F>(pool, last, input, cotangent, &gradient);
  std::vector<F> expected(input.size(), F{0});
  const auto in = strides_of(pool.input, last), out = strides_of(pool.output, last);
  const auto& [n, c, oh, ow] = pool.output;
  for (int64_t i = 0; i < count(pool.output); ++i) {
    const Sizes at{i / (c * oh * ow), i / (oh * ow) % c, i / ow % oh, i % ow};
    const auto place =
        static_cast<std::size_t>(at[0] * out[0] + at[1] * out[1] + at[2] * out[2] + at[3] * out[3]);
    bool found = false;
    F best{};
    int64_t chosen = 0;
    std::size_t from = 0;
    for (int64_t kh = 0; kh < pool.attrs.kernel[0]; ++kh) {
      for (int64_t kw = 0; kw < pool.attrs.kernel[1]; ++kw) {
        const int64_t h = at[2] * pool.attrs.stride[0] + kh - pool.attrs.padding[0];
        const int64_t w = at[3] * pool.attrs.stride[1] + kw - pool.attrs.padding[1];
        if (h < 0 || h >= pool.input[2] || w < 0 || w >= pool.input[3]) continue;
        const auto source =
            static_cast<std::size_t>(at[0] * in[0] + at[1] * in[1] + h * in[2] + w * in[3]);
        const F value = input[source];
        if (found && (std::isnan(best) || !(value > best || std::isnan(value)))) continue;
        found = true;
        best = value;
        chosen = h * pool.input[3] + w;
        from = source;
      }
    }
    if (std::isnan(best)) {
      EXPECT_TRUE(std::isnan(forward.output[place]));
    } else {
      EXPECT_EQ(forward.output[place], best);
    }
    EXPECT_EQ(forward.index[place], chosen);
    expected[from] += cotangent[place];
  }
  (void)n;
  EXPECT_EQ(gradient, expected);
}

TEST(WindowTest, RandomSizesAndLayouts) {
  std::mt19937 random(3);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (unsigned i = 0; i < 200; ++i) {
    ir::Pool2dAttrs attrs;
    Sizes input{pick(1, 3), pick(1, 40), 0, 0};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      attrs.kernel[axis] = pick(1, 4);
      attrs.stride[axis] = pick(1, 4);
      attrs.padding[axis] = pick(0, attrs.kernel[axis] / 2);
      input[axis + 2] = attrs.kernel[axis] + pick(0, 6);
    }
    const Pool pool = make_pool(input, attrs);
    SCOPED_TRACE(i);
    for (bool last : {false, true}) {
      check<float>(pool, last, i);
      check<double>(pool, last, i);
    }
  }
}

TEST(WindowTest, SameBitsForAnyNumberOfThreads) {
  const Pool pool = make_pool({8, 24, 20, 20}, {{3, 3}, {2, 2}, {1, 1}});
  for (bool last : {false, true}) {
    std::vector<float> first;
    for (int threads : {1, 2, 3, 8}) {
      std::vector<float> gradient;
      there_and_back<float>(pool, last, real_numbers<float>(count(pool.input), 1),
                            real_numbers<float>(count(pool.output), 2), &gradient, threads);
      if (threads == 1) first = gradient;
      EXPECT_TRUE(same_bits(first, gradient));
    }
  }
}

// One image and channel, all four ways.
void expect_pool(const Pool& pool, const std::vector<float>& x, const std::vector<float>& dy,
                 const std::vector<float>& y, const std::vector<float>& dx) {
  for (bool last : {false, true}) {
    std::vector<float> gradient;
    EXPECT_EQ(there_and_back<float>(pool, last, x, dy, &gradient).output, y);
    EXPECT_EQ(gradient, dx);
    std::vector<double> gradient64;
    const auto forward = there_and_back<double>(pool, last, {x.begin(), x.end()},
                                                {dy.begin(), dy.end()}, &gradient64);
    EXPECT_EQ(forward.output, std::vector<double>(y.begin(), y.end()));
    EXPECT_EQ(gradient64, std::vector<double>(dx.begin(), dx.end()));
  }
}

TEST(WindowTest, PaddingNeverWins) {
  const ir::Pool2dAttrs attrs{{2, 2}, {2, 2}, {1, 1}};
  expect_pool(make_pool({1, 1, 2, 2}, attrs), {-1, -2, -3, -4}, {1, 1, 1, 1}, {-1, -2, -3, -4},
              {1, 1, 1, 1});
  expect_pool(make_pool({1, 1, 3, 3}, attrs), {-1, -2, -3, -4, -5, -6, -7, -8, -9}, {1, 1, 1, 1},
              {-1, -2, -4, -5}, {1, 1, 0, 1, 1, 0, 0, 0, 0});
}

TEST(WindowTest, InfinitiesAndNaN) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Pool pool = make_pool({1, 1, 2, 2}, {{2, 2}, {1, 1}, {0, 0}});
  expect_pool(pool, {-infinity, -infinity, -infinity, -infinity}, {5}, {-infinity}, {5, 0, 0, 0});
  std::vector<float> gradient;
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto run = there_and_back<float>(pool, false, {1, nan, infinity, nan}, {3}, &gradient);
  EXPECT_TRUE(std::isnan(run.output[0]));
  EXPECT_EQ(gradient, (std::vector<float>{0, 3, 0, 0}));
}

TEST(WindowTest, OverlappingWindowsAddUp) {
  expect_pool(make_pool({1, 1, 1, 5}, {{1, 2}, {1, 1}, {0, 0}}), {5, 3, 1, 2, 5}, {1, 1, 1, 1},
              {5, 3, 2, 5}, {1, 1, 0, 1, 1});
  std::vector<float> x, dx(24, 0);
  for (int i = 1; i <= 24; ++i) x.push_back(static_cast<float>(i));
  x[7] = 88;
  dx[7] = 26;
  dx[11] = 3;
  dx[23] = 13;
  expect_pool(make_pool({1, 1, 4, 6}, {{3, 3}, {2, 2}, {1, 1}}), x, {1, 2, 3, 11, 12, 13},
              {88, 88, 12, 88, 88, 24}, dx);
}

TEST(WindowTest, TheFirstOfEqualsIsChosen) {
  expect_pool(make_pool({1, 1, 1, 5}, {{1, 3}, {1, 1}, {0, 0}}), {7, 7, 7, 7, 7}, {1, 1, 1},
              {7, 7, 7}, {1, 1, 1, 0, 0});
}

TEST(WindowTest, ValueOrIndexAlone) {
  const Pool pool = make_pool({2, 20, 4, 4}, {{2, 2}, {2, 2}, {0, 0}});
  for (bool last : {false, true}) {
    const kernel::Window both = window_of(pool, kernel::WindowKind::max_forward, last);
    const auto outputs = static_cast<std::size_t>(count(pool.output));
    const PoolRun<float> from{real_numbers<float>(count(pool.input), 1),
                              std::vector<float>(outputs), std::vector<std::int32_t>(outputs)};
    const PoolRun<float> expected = run_window<float>(both, from);
    kernel::Window value = both, index = both;
    value.index.reset();
    index.output.reset();
    EXPECT_EQ(run_window<float>(value, from).output, expected.output);
    EXPECT_EQ(run_window<float>(index, from).index, expected.index);
  }
}

}  // namespace
}  // namespace tensorgrad::cpu

// oneDNN against plain loops on small integers, where every sum is exact, and against itself on
// different numbers of threads. Skipped in builds without oneDNN.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tensorgrad/backend/cpu/dnnl_conv.h"
#include "tensorgrad/backend/cpu/dnnl_matmul.h"
#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/base/parallel.h"

namespace tensorgrad::cpu {
namespace {

class DnnlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DnnlMatmul::available()) GTEST_SKIP() << "built without oneDNN";
  }
};

// Small integers: every sum is exact in any order.
std::vector<float> integers(size_t count, int seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<int>((i * 7 + i / 5 * 3 + seed) % 11) - 5);
  }
  return values;
}

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
  }
  return -1;
}

TEST_F(DnnlTest, MatmulEqualsOwnInEveryLayout) {
  for (int64_t count : {1, 3}) {
    for (int layouts = 0; layouts < 16; ++layouts) {
      const int64_t m = 33, n = 20, k = 47;
      const auto rows = [&](int bit, int64_t r, int64_t c) {
        return (layouts >> bit & 1) != 0 ? std::pair{int64_t{1}, r} : std::pair{c + 2, int64_t{1}};
      };
      const auto [a_row, a_col] = rows(0, m, k);
      const auto [b_row, b_col] = rows(1, k, n);
      const auto [c_row, c_col] = rows(2, m, n);
      const bool accumulate = (layouts >> 3 & 1) != 0;
      const GemmBatch batch{count, 5000, 0, 5000};
      const std::vector<float> a = integers(5000 * count, 1), b = integers(5000, 2);
      std::vector<float> c = integers(5000 * count, 3), expected = c;
      const GemmArgs<float> args{m,     n,        k,         a.data(), a_row,
                                 a_col, b.data(), b_row,     b_col,    expected.data(),
                                 c_row, c_col,    accumulate};
      gemm_batched(args, batch);
      ASSERT_TRUE(DnnlMatmul::supports(args, batch));
      const DnnlMatmul matmul(args, batch);
      EXPECT_EQ(std::string(matmul.implementation()).find("ref"), std::string::npos);
      matmul.run(a.data(), b.data(), c.data());
      ASSERT_EQ(c, expected) << layouts << " " << count;
    }
  }
}

TEST_F(DnnlTest, MatmulWithOneRowOrColumn) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 7, 9}, {9, 1, 5}, {4, 6, 1}, {1, 1, 8}}) {
    const std::vector<float> a = integers(m * k, 4), b = integers(k * n, 5);
    std::vector<float> c(m * n), expected(m * n);
    const GemmArgs<float> args{m, n, k, a.data(), k, 1, b.data(), n, 1, expected.data(), n, 1};
    gemm(args);
    DnnlMatmul(args).run(a.data(), b.data(), c.data());
    EXPECT_EQ(c, expected);
  }
}

TEST_F(DnnlTest, UnsupportedStrides) {
  GemmArgs<float> args{4, 4, 4, nullptr, 4, 1, nullptr, 4, 1, nullptr, 4, 1, false};
  EXPECT_TRUE(DnnlMatmul::supports(args));
  args.a_row = 0;
  EXPECT_FALSE(DnnlMatmul::supports(args));
  args.a_row = 8;
  args.a_col = 2;
  EXPECT_FALSE(DnnlMatmul::supports(args));
  args.k = 0;
  EXPECT_FALSE(DnnlMatmul::supports(args));
}

TEST_F(DnnlTest, ChunksGiveTheSameBitsOnAnyNumberOfThreadsAndStartNone) {
  const int64_t m = 512, n = 64, k = 1000, rows = 64;
  std::vector<float> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i));
  const GemmArgs<float> part{rows, n, k, nullptr, k, 1, nullptr, n, 1, nullptr, n, 1, false};
  const DnnlMatmul matmul(part);
  std::vector<float> first;
  for (int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    const int before = threads_of_this_process();
    std::vector<float> c(m * n);
    for (int repeat = 0; repeat < 20; ++repeat) {
      pool.parallel_for(m / rows, [&](int64_t chunk, int) {
        matmul.run(a.data() + chunk * rows * k, b.data(), c.data() + chunk * rows * n);
      });
    }
    EXPECT_EQ(threads_of_this_process(), before);
    if (first.empty()) first = c;
    EXPECT_EQ(std::memcmp(first.data(), c.data(), c.size() * sizeof(float)), 0);
  }
}

// Plain loops over the definition.
struct Reference {
  ConvShape s;
  std::vector<float> x, w, y;

  template <class F>
  void each(F f) const {
    const int64_t ci = s.in_channels / s.groups, co = s.out_channels / s.groups;
    for (int64_t b = 0; b < s.batch; ++b)
      for (int64_t o = 0; o < s.out_channels; ++o)
        for (int64_t oh = 0; oh < s.out_size[0]; ++oh)
          for (int64_t ow = 0; ow < s.out_size[1]; ++ow)
            for (int64_t i = 0; i < ci; ++i)
              for (int64_t kh = 0; kh < s.kernel[0]; ++kh)
                for (int64_t kw = 0; kw < s.kernel[1]; ++kw) {
                  const int64_t h = oh * s.stride[0] - s.padding[0] + kh * s.dilation[0];
                  const int64_t v = ow * s.stride[1] - s.padding[1] + kw * s.dilation[1];
                  if (h < 0 || v < 0 || h >= s.in_size[0] || v >= s.in_size[1]) continue;
                  const int64_t channel = o / co * ci + i;
                  const auto& is = s.in_strides;
                  const auto& os = s.out_strides;
                  f(b * is[0] + channel * is[1] + h * is[2] + v * is[3],
                    ((o * ci + i) * s.kernel[0] + kh) * s.kernel[1] + kw,
                    b * os[0] + o * os[1] + oh * os[2] + ow * os[3]);
                }
  }
};

void check_conv(ConvShape s, bool nhwc) {
  for (int i = 0; i < 2; ++i) {
    s.out_size[i] =
        (s.in_size[i] + 2 * s.padding[i] - (s.kernel[i] - 1) * s.dilation[i] - 1) / s.stride[i] + 1;
  }
  s.in_strides =
      nhwc ? nhwc_strides(s.in_channels, s.in_size) : nchw_strides(s.in_channels, s.in_size);
  s.out_strides =
      nhwc ? nhwc_strides(s.out_channels, s.out_size) : nchw_strides(s.out_channels, s.out_size);
  Reference r{s, integers(s.batch * s.in_strides[0], 1),
              integers(s.out_channels * s.in_channels / s.groups * s.kernel[0] * s.kernel[1], 2),
              integers(s.batch * s.out_strides[0], 3)};
  std::vector<float> y(r.y.size()), x(r.x.size()), w(r.w.size());
  r.each([&](int64_t i, int64_t j, int64_t o) {
    y[o] += r.x[i] * r.w[j];
    x[i] += r.y[o] * r.w[j];
    w[j] += r.x[i] * r.y[o];
  });
  const auto run = [&](ConvPass pass, const std::vector<float>& first,
                       const std::vector<float>& second, const std::vector<float>& expected) {
    s.pass = pass;
    const DnnlConv conv(s);
    EXPECT_NE(std::string(conv.implementation()).rfind("ref", 0), 0u);
    std::vector<float> result(expected.size(), 77.0f);
    for (int repeat = 0; repeat < 2; ++repeat) {
      conv.run(first.data(), second.data(), result.data());
      EXPECT_EQ(result, expected) << "pass " << static_cast<int>(pass) << " nhwc " << nhwc;
    }
  };
  run(ConvPass::kForward, r.x, r.w, y);
  run(ConvPass::kBackwardData, r.y, r.w, x);
  run(ConvPass::kBackwardWeights, r.x, r.y, w);
}

TEST_F(DnnlTest, ConvolutionsAndTheirGradients) {
  for (bool nhwc : {false, true}) {
    ConvShape s;
    s.batch = 3;
    s.in_channels = 1;
    s.out_channels = 16;
    s.in_size = {12, 11};
    s.kernel = {3, 3};
    s.padding = {1, 1};
    check_conv(s, nhwc);
    s.in_channels = 16;
    s.out_channels = 10;
    check_conv(s, nhwc);
    s.stride = {2, 2};
    s.kernel = {3, 2};
    s.padding = {0, 1};
    check_conv(s, nhwc);
    s.stride = {1, 2};
    s.dilation = {2, 1};
    check_conv(s, nhwc);
    s = ConvShape{};
    s.batch = 2;
    s.groups = 4;
    s.in_channels = 8;
    s.out_channels = 12;
    s.in_size = {7, 9};
    s.kernel = {3, 3};
    s.padding = {1, 1};
    check_conv(s, nhwc);
  }
}

TEST_F(DnnlTest, ConvolutionChunksGiveTheSameBitsOnAnyNumberOfThreads) {
  constexpr int64_t kChunks = 8;
  ConvShape s;
  s.batch = 2;
  s.in_channels = 8;
  s.out_channels = 16;
  s.in_size = s.out_size = {14, 14};
  s.kernel = {3, 3};
  s.padding = {1, 1};
  s.in_strides = nchw_strides(8, s.in_size);
  s.out_strides = nhwc_strides(16, s.out_size);
  std::vector<float> x(kChunks * 2 * s.in_strides[0]), y(kChunks * 2 * s.out_strides[0]);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::cos(static_cast<float>(i));
  const size_t weights = 16 * 8 * 9;
  const std::vector<float> w(y.begin(), y.begin() + weights);
  for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardData, ConvPass::kBackwardWeights}) {
    s.pass = pass;
    const DnnlConv conv(s);
    const bool is_weights = pass == ConvPass::kBackwardWeights;
    const bool forward = pass == ConvPass::kForward;
    const size_t x_step = 2 * s.in_strides[0], y_step = 2 * s.out_strides[0];
    const size_t step = is_weights ? weights : forward ? y_step : x_step;
    std::vector<float> first;
    for (int threads : {1, 2, 4}) {
      ThreadPool pool(threads);
      const int before = threads_of_this_process();
      std::vector<float> result(kChunks * step);
      for (int repeat = 0; repeat < 10; ++repeat) {
        pool.parallel_for(kChunks, [&](int64_t chunk, int) {
          const float* input = x.data() + chunk * x_step;
          const float* output = y.data() + chunk * y_step;
          conv.run(pass == ConvPass::kBackwardData ? output : input, is_weights ? output : w.data(),
                   result.data() + chunk * step);
        });
      }
      EXPECT_EQ(threads_of_this_process(), before);
      if (first.empty()) first = result;
      EXPECT_EQ(std::memcmp(first.data(), result.data(), result.size() * sizeof(float)), 0);
    }
  }
}

}  // namespace
}  // namespace tensorgrad::cpu

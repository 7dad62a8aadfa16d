// Convolutions and both gradients against naive loops, exactly, over random sizes, strides,
// padding, dilation, groups and layouts, and known results of hard cases.
#include <gtest/gtest.h>

#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/runner_test.h"

namespace tensorgrad::cpu {
namespace {

using kernel::Contract;
using kernel::ContractKind;
using std::int64_t;
using Sizes = std::array<int64_t, 4>;

int64_t count(const Sizes& shape) { return shape[0] * shape[1] * shape[2] * shape[3]; }

struct Conv {
  Sizes input, weight, output;
  ir::Conv2dAttrs attrs;
};

Conv make_conv(Sizes input, Sizes weight, ir::Conv2dAttrs attrs) {
  Conv conv{input, weight, {input[0], weight[0], 0, 0}, attrs};
  for (std::size_t i = 0; i < 2; ++i) {
    const int64_t extent = attrs.dilation[i] * (weight[i + 2] - 1) + 1;
    conv.output[i + 2] = (input[i + 2] + 2 * attrs.padding[i] - extent) / attrs.stride[i] + 1;
  }
  return conv;
}

// Row-major x [N,C,H,W], w, y (or their gradients): what the kind computes is overwritten.
template <class F>
void reference(const Conv& conv, ContractKind kind, std::vector<F>& x, std::vector<F>& w,
               std::vector<F>& y) {
  auto& out = kind == ContractKind::conv_forward      ? y
              : kind == ContractKind::conv_grad_input ? x
                                                      : w;
  std::fill(out.begin(), out.end(), F{0});
  const auto at = [](const Sizes& s, int64_t i, int64_t j, int64_t k, int64_t l) {
    return static_cast<std::size_t>(((i * s[1] + j) * s[2] + k) * s[3] + l);
  };
  const auto& [n, o, oh, ow] = conv.output;
  const int64_t per_group = conv.weight[0] / conv.attrs.groups;
  for (int64_t i = 0; i < count(conv.output); ++i) {
    const int64_t wo = i % ow, ho = i / ow % oh, f = i / (ow * oh) % o, b = i / (ow * oh * o);
    for (int64_t c = 0; c < conv.weight[1]; ++c) {
      for (int64_t kh = 0; kh < conv.weight[2]; ++kh) {
        for (int64_t kw = 0; kw < conv.weight[3]; ++kw) {
          const auto& a = conv.attrs;
          const int64_t h = ho * a.stride[0] + kh * a.dilation[0] - a.padding[0];
          const int64_t v = wo * a.stride[1] + kw * a.dilation[1] - a.padding[1];
          if (h < 0 || h >= conv.input[2] || v < 0 || v >= conv.input[3]) continue;
          F& xi = x[at(conv.input, b, f / per_group * conv.weight[1] + c, h, v)];
          F& wi = w[at(conv.weight, f, c, kh, kw)];
          F& yi = y[static_cast<std::size_t>(i)];
          if (kind == ContractKind::conv_forward) yi += xi * wi;
          if (kind == ContractKind::conv_grad_input) xi += yi * wi;
          if (kind == ContractKind::conv_grad_weight) wi += xi * yi;
        }
      }
    }
  }
  (void)n;
}

// Buffers: 0 a, 1 b, 2 c, 3 bias, 4 the epilogue's result.
struct Layouts {
  std::vector<int64_t> x, w, y;
};

Contract contract_of(const Conv& conv, ContractKind kind, const Layouts& at) {
  Contract contract;
  contract.kind = kind;
  contract.input_shape = conv.input;
  contract.weight_shape = conv.weight;
  contract.output_shape = conv.output;
  contract.conv = conv.attrs;
  const bool forward = kind == ContractKind::conv_forward;
  const bool weights = kind == ContractKind::conv_grad_weight;
  contract.a = access_of(0, forward || weights ? at.x : at.y);
  contract.b = access_of(1, weights ? at.y : at.w);
  contract.c = access_of(2, forward ? at.y : weights ? at.w : at.x);
  return contract;
}

// Row-major values in the places of a layout, and back.
template <class F>
std::vector<F> laid_out(const std::vector<F>& dense, const Sizes& shape,
                        const std::vector<int64_t>& strides, bool back = false) {
  std::vector<F> out(dense.size());
  for (int64_t i = 0; i < count(shape); ++i) {
    int64_t rest = i, place = 0;
    for (std::size_t axis = 4; axis-- > 0; rest /= shape[axis]) {
      place += rest % shape[axis] * strides[axis];
    }
    if (back) {
      out[static_cast<std::size_t>(i)] = dense[static_cast<std::size_t>(place)];
    } else {
      out[static_cast<std::size_t>(place)] = dense[static_cast<std::size_t>(i)];
    }
  }
  return out;
}

struct Options {
  bool own = false, accumulate = false, epilogue = false, keep = true;
  int threads = 2;
};

// Runs one kind on row-major values and returns row-major results: c and the epilogue's.
template <class F>
std::array<std::vector<F>, 2> run_conv(const Conv& conv, ContractKind kind, const Layouts& at,
                                       const std::vector<F>& first, const std::vector<F>& second,
                                       const std::vector<F>& before, const Options& options) {
  Contract contract = contract_of(conv, kind, at);
  const bool forward = kind == ContractKind::conv_forward;
  const bool weights = kind == ContractKind::conv_grad_weight;
  const Sizes& a = forward || weights ? conv.input : conv.output;
  const Sizes& b = weights ? conv.output : conv.weight;
  const Sizes& c = forward ? conv.output : weights ? conv.weight : conv.input;
  const std::vector<int64_t> c_strides = contract.c->strides;
  contract.accumulate = options.accumulate;
  if (options.epilogue) {
    const std::vector<int64_t> extents(c.begin(), c.end());
    contract.epilogue = bias_relu(extents, 1, 3, 4, c_strides);
  }
  if (!options.keep) contract.c.reset();
  TestBuffers<F> buffers;
  buffers.emplace_back(laid_out(first, a, contract.a.strides));
  buffers.emplace_back(laid_out(second, b, contract.b.strides));
  buffers.emplace_back(laid_out(before, c, c_strides));
  buffers.emplace_back(small_integers<F>(c[1], 9));
  buffers.emplace_back(std::vector<F>(before.size()));
  std::unique_ptr<Runner> runner;
  if (options.own) {
    runner = forward   ? make_conv_forward<F>(contract)
             : weights ? make_conv_grad_weight<F>(contract)
                       : make_conv_grad_input<F>(contract);
  } else {
    runner = make_contract(contract, kPrecision<F>);
  }
  run_kernel<F>(*runner, buffers, options.threads);
  const auto result = [&](std::size_t i) {
    return laid_out(std::get<std::vector<F>>(buffers[i]), c, c_strides, true);
  };
  return {result(2), result(4)};
}

constexpr std::array<ContractKind, 3> kKinds{
    ContractKind::conv_forward, ContractKind::conv_grad_input, ContractKind::conv_grad_weight};

Layouts layouts(const Conv& conv, bool x_last, bool w_last, bool y_last) {
  const auto make = [](const Sizes& s, bool last) {
    const std::vector<int> order =
        last ? std::vector<int>{0, 2, 3, 1} : std::vector<int>{0, 1, 2, 3};
    return strides_in_order({s.begin(), s.end()}, order);
  };
  return {make(conv.input, x_last), make(conv.weight, w_last), make(conv.output, y_last)};
}

template <class F>
void check(const Conv& conv, ContractKind kind, const Layouts& at, const Options& options) {
  std::vector<F> x = small_integers<F>(count(conv.input), 1);
  std::vector<F> w = small_integers<F>(count(conv.weight), 2);
  std::vector<F> y = small_integers<F>(count(conv.output), 3);
  const bool forward = kind == ContractKind::conv_forward;
  const bool weights = kind == ContractKind::conv_grad_weight;
  const std::vector<F> before = forward ? y : weights ? w : x;
  const auto [c, result] =
      run_conv<F>(conv, kind, at, forward || weights ? x : y, weights ? y : w, before, options);
  reference(conv, kind, x, w, y);
  std::vector<F> expected = forward ? y : weights ? w : x;
  if (options.accumulate) {
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += before[i];
  }
  EXPECT_EQ(c, options.keep ? expected : before);
  if (!options.epilogue) return;
  const Sizes& shape = forward ? conv.output : weights ? conv.weight : conv.input;
  const std::vector<F> bias = small_integers<F>(shape[1], 9);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / (shape[2] * shape[3]) % shape[1];
    expected[i] = std::max(expected[i] + bias[static_cast<std::size_t>(channel)], F{0});
  }
  EXPECT_EQ(result, expected);
}

TEST(ConvTest, RandomSizesAndLayouts) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 150; ++i) {
    ir::Conv2dAttrs attrs;
    const std::array<int64_t, 4> groups{1, 1, 2, 3};
    attrs.groups = groups[random() % 4];
    const int64_t in = pick(1, 5), out = pick(1, 4);
    Sizes input{pick(1, 5), in * attrs.groups, 0, 0};
    Sizes weight{out * attrs.groups, in, pick(1, 3), pick(1, 4)};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      attrs.stride[axis] = pick(1, 3);
      attrs.dilation[axis] = pick(1, 2);
      attrs.padding[axis] = pick(0, 2);
      input[axis + 2] = attrs.dilation[axis] * (weight[axis + 2] - 1) + 1 + pick(0, 9);
    }
    const Conv conv = make_conv(input, weight, attrs);
    const auto flip = [&] { return random() % 2 == 0; };
    const Layouts at = layouts(conv, flip(), flip(), flip());
    for (ContractKind kind : kKinds) {
      SCOPED_TRACE("case " + std::to_string(i) + " kind " + std::to_string(static_cast<int>(kind)));
      Options options;
      options.epilogue = flip();
      options.keep = !options.epilogue || flip();
      options.accumulate = options.keep && flip();
      check<float>(conv, kind, at, options);
      check<double>(conv, kind, at, options);
      options.own = true;
      check<float>(conv, kind, at, options);
    }
  }
}

TEST(ConvTest, SameBitsForAnyNumberOfThreads) {
  ir::Conv2dAttrs attrs;
  attrs.padding = {1, 1};
  const Conv conv = make_conv({13, 8, 14, 14}, {16, 8, 3, 3}, attrs);
  for (bool last : {false, true}) {
    const Layouts at = layouts(conv, last, false, last);
    for (ContractKind kind : kKinds) {
      for (bool own : {false, true}) {
        const bool forward = kind == ContractKind::conv_forward;
        const bool weights = kind == ContractKind::conv_grad_weight;
        const auto x = real_numbers<float>(count(conv.input), 1);
        const auto w = real_numbers<float>(count(conv.weight), 2);
        const auto y = real_numbers<float>(count(conv.output), 3);
        std::vector<float> first;
        for (int threads : {1, 2, 3, 8}) {
          const Options options{.own = own, .threads = threads};
          const auto c =
              run_conv<float>(conv, kind, at, forward || weights ? x : y, weights ? y : w,
                              forward   ? y
                              : weights ? w
                                        : x,
                              options)[0];
          if (threads == 1) first = c;
          EXPECT_TRUE(same_bits(first, c)) << threads << " threads";
        }
      }
    }
  }
}

template <class F>
std::vector<F> numbered(int64_t count, int64_t first = 0) {
  std::vector<F> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<F>(first + i));
  return out;
}

// Runs all three kinds, with oneDNN and without, and returns {y, dx, dw}.
template <class F>
std::array<std::vector<F>, 3> all_three(const Conv& conv, const std::vector<F>& x,
                                        const std::vector<F>& w, const std::vector<F>& dy, bool own,
                                        bool last) {
  const Layouts at = layouts(conv, last, false, last);
  const Options options{.own = own};
  return {run_conv<F>(conv, kKinds[0], at, x, w, dy, options)[0],
          run_conv<F>(conv, kKinds[1], at, dy, w, x, options)[0],
          run_conv<F>(conv, kKinds[2], at, x, dy, w, options)[0]};
}

template <class F>
struct Known {
  Conv conv;
  std::vector<F> x, w, dy, y, dx, dw;  // dx and dw may give the first elements only
};

template <class F>
std::vector<Known<F>> known_cases() {
  const auto attrs = [](std::array<int64_t, 2> stride, std::array<int64_t, 2> padding,
                        int64_t groups) {
    return ir::Conv2dAttrs{stride, padding, {1, 1}, groups};
  };
  std::vector<Known<F>> cases;
  // The stride does not divide the input: the last row and column are never read.
  cases.push_back({make_conv({1, 1, 6, 6}, {1, 1, 3, 3}, attrs({2, 2}, {0, 0}, 1)),
                   numbered<F>(36),
                   numbered<F>(9, 1),
                   {1, 2, 3, 4},
                   {429, 519, 969, 1059},
                   {1,  2,  5,  4,  6,  0, 4,  5,  14, 10, 12, 0, 10, 14, 36, 24, 30, 0,
                    12, 15, 34, 20, 24, 0, 21, 24, 55, 32, 36, 0, 0,  0,  0,  0,  0,  0},
                   {96, 106, 116, 156, 166, 176, 216, 226, 236}});
  cases.push_back({make_conv({1, 1, 1, 11}, {1, 1, 1, 4}, attrs({1, 4}, {0, 0}, 1)),
                   numbered<F>(11),
                   numbered<F>(4, 1),
                   {1, 2},
                   {20, 60},
                   {1, 2, 3, 4, 2, 4, 6, 8, 0, 0, 0},
                   {8, 11, 14, 17}});
  // The stride is larger than the kernel: positions are skipped.
  cases.push_back({make_conv({1, 1, 1, 8}, {1, 1, 1, 2}, attrs({1, 3}, {0, 0}, 1)),
                   numbered<F>(8),
                   {1, 10},
                   {1, 2, 3},
                   {10, 43, 76},
                   {1, 10, 0, 2, 20, 0, 3, 30},
                   {24, 30}});
  // Depthwise with stride 2.
  cases.push_back({make_conv({1, 4, 4, 4}, {4, 1, 3, 3}, attrs({2, 2}, {1, 1}, 4)),
                   numbered<F>(64),
                   numbered<F>(36),
                   std::vector<F>(16, F{1}),
                   {73, 154, 279, 438, 1123, 1762, 2034, 3120, 3325, 5098, 5517, 8394, 6679, 10162,
                    10728, 16260},
                   {4, 8, 4, 5, 8, 16, 8, 10, 4, 8, 4, 5, 7, 14, 7, 8},
                   {5, 10, 12, 10, 20, 24, 18, 36, 40}});
  // Groups with a stride on one axis and padding on it.
  std::vector<F> w, dy;
  for (int o = 0; o < 6; ++o) {
    for (int i = 0; i < 18; ++i) {
      w.push_back(static_cast<F>((7 * o + 3 * (i / 9) + 5 * (i / 3 % 3) + 2 * (i % 3)) % 9 - 4));
    }
    for (int i = 0; i < 3; ++i) dy.push_back(static_cast<F>((o + 2 * i) % 5 - 2));
  }
  cases.push_back({make_conv({1, 4, 5, 3}, {6, 2, 3, 3}, attrs({2, 1}, {1, 0}, 2)),
                   numbered<F>(60, -30),
                   w,
                   dy,
                   {10, 159, 103, -131, 15, 16, -2, -12, 37, -35, 51, 103, -95, -3, -2, -2, -3, -8},
                   {-1, -7, 5, 7, 7, -11, -7, -1, 5, -7, 6, 1, 7, 5, -15},
                   {-42, -40, -38, 24, 24, 24, 54, 52, 50, -12, -10, -8, 24, 24, 24, 24, 22, 20}});
  return cases;
}

template <class F>
void check_known() {
  for (const Known<F>& known : known_cases<F>()) {
    for (bool own : {false, true}) {
      for (bool last : {false, true}) {
        auto [y, dx, dw] = all_three<F>(known.conv, known.x, known.w, known.dy, own, last);
        dx.resize(known.dx.size());
        dw.resize(known.dw.size());
        EXPECT_EQ(y, known.y);
        EXPECT_EQ(dx, known.dx);
        EXPECT_EQ(dw, known.dw);
      }
    }
  }
}

TEST(ConvTest, KnownResults) {
  check_known<float>();
  check_known<double>();
}

TEST(ConvTest, KnownResultsOfTheLastChannels) {
  const Known<double> depthwise = known_cases<double>()[3];
  const auto [y, dx, dw] =
      all_three<double>(depthwise.conv, depthwise.x, depthwise.w, depthwise.dy, false, false);
  EXPECT_EQ(std::vector<double>(dx.end() - 16, dx.end()),
            (std::vector<double>{31, 62, 31, 32, 62, 124, 62, 64, 31, 62, 31, 32, 34, 68, 34, 35}));
  EXPECT_EQ(std::vector<double>(dw.end() - 9, dw.end()),
            (std::vector<double>{53, 106, 108, 106, 212, 216, 114, 228, 232}));
  const Known<double> grouped = known_cases<double>()[4];
  const auto [y2, dx2, dw2] =
      all_three<double>(grouped.conv, grouped.x, grouped.w, grouped.dy, false, false);
  EXPECT_EQ(std::vector<double>(dx2.end() - 15, dx2.end()),
            (std::vector<double>{-16, 4, 6, 3, -10, -14, 8, 2, -4, -11, 7, 16, 2, -10, -4}));
  EXPECT_EQ(std::vector<double>(dw2.end() - 18, dw2.end()),
            (std::vector<double>{18, 20, 22, 24, 24, 24, -6, -8, -10, 48, 50, 52, 24, 24, 24, -36,
                                 -38, -40}));
}

}  // namespace
}  // namespace tensorgrad::cpu

// Convolution, gradient of the input: the cotangent times the weights gives columns, which are
// added back to the image. An image and group belong to one chunk, which adds in a fixed order.
#include <type_traits>

#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/conv_common.h"
#include "tensorgrad/backend/cpu/epilogue.h"
#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

template <class F>
class ConvGradInput final : public Runner {
 public:
  explicit ConvGradInput(const kernel::Contract& contract)
      : s_(contract),
        epilogue_(contract,
                  std::is_same_v<F, float> ? backend::Precision::f32 : backend::Precision::f64),
        cotangent_(contract.a),
        weight_(contract.b),
        gradient_(contract.c),
        accumulate_(contract.accumulate) {
    require(!accumulate_ || gradient_.has_value(), "an accumulated product has a destination");
  }

  ScratchNeed scratch() const override {
    const int64_t accumulators = gradient_ ? 0 : s_.group_channels * s_.height * s_.width;
    return {.shared = static_cast<std::size_t>(s_.filters * s_.depth) * sizeof(F),
            .per_worker =
                static_cast<std::size_t>(s_.row_block * s_.out_width * s_.depth + accumulators) *
                sizeof(F)};
  }

  void run(const RunContext& context) const override {
    pack_weights(context, s_, weight_, context.shared_as<F>());
    const int64_t units = s_.batch * s_.groups;
    for_units(*context.pool, units, s_.flops() / static_cast<double>(units),
              [&](int64_t unit, int worker) {
                run_image(context, unit / s_.groups, unit % s_.groups, worker);
              });
  }

 private:
  void run_image(const RunContext& context, int64_t n, int64_t group, int worker) const {
    F* const unfolded = context.worker_as<F>(worker);
    F* first = unfolded + s_.row_block * s_.out_width * s_.depth;
    std::array<int64_t, 4> to{0, 1, s_.width * s_.group_channels, s_.group_channels};
    if (!s_.channels_last) to = {0, s_.height * s_.width, s_.width, 1};
    if (gradient_) {
      std::copy_n(gradient_->strides.begin(), 4, to.begin());
      first = element<F>(context, gradient_->buffer, gradient_->offset) + n * to[0] +
              group * s_.group_channels * to[1];
    }
    if (!accumulate_) clear(first, to);
    const auto& from = cotangent_.strides;
    const F* const cotangent = element<const F>(context, cotangent_.buffer, cotangent_.offset) +
                               n * from[0] + group * s_.group_filters * from[1];
    for (int64_t row = 0; row < s_.out_height; row += s_.row_block) {
      const int64_t rows = std::min(s_.row_block, s_.out_height - row);
      const Columns<F> cols = columns(s_, unfolded, rows);
      const bool whole = rows == 1 || from[2] == s_.out_width * from[3];
      GemmArgs<F> args;
      args.m = whole ? rows * s_.out_width : s_.out_width;
      args.n = s_.depth;
      args.k = s_.group_filters;
      args.a_row = from[3];
      args.a_col = from[1];
      args.b = context.shared_as<const F>() + group * s_.depth * s_.group_filters;
      args.b_row = 1;
      args.b_col = s_.group_filters;
      args.c_row = cols.position;
      args.c_col = cols.term;
      for (int64_t i = 0; i < (whole ? 1 : rows); ++i) {
        args.a = cotangent + (row + i) * from[2];
        args.c = unfolded + i * s_.out_width * cols.position;
        gemm(args);
      }
      fold_add<F>(s_, unfolded, row, rows, first, {to[1], to[2], to[3]});
    }
    const std::array<int64_t, 4> begin{n, group * s_.group_channels, 0, 0};
    const std::array<int64_t, 4> end{n + 1, (group + 1) * s_.group_channels, s_.height, s_.width};
    epilogue_.run(context, begin, end, {first, to});
  }

  void clear(F* first, const std::array<int64_t, 4>& to) const {
    // Channels innermost where they lie side by side.
    const bool last = to[1] == 1;
    const int64_t inner = last ? s_.group_channels : s_.width;
    const int64_t outer = last ? s_.width : s_.group_channels;
    const int64_t inner_stride = last ? to[1] : to[3], outer_stride = last ? to[3] : to[1];
    for (int64_t h = 0; h < s_.height; ++h) {
      for (int64_t i = 0; i < outer; ++i) {
        F* const line = first + h * to[2] + i * outer_stride;
        for (int64_t j = 0; j < inner; ++j) line[j * inner_stride] = F{0};
      }
    }
  }

  ConvSizes s_;
  Epilogue epilogue_;
  kernel::Access cotangent_, weight_;
  std::optional<kernel::Access> gradient_;
  bool accumulate_;
};

}  // namespace

template <class F>
std::unique_ptr<Runner> make_conv_grad_input(const kernel::Contract& contract) {
  return std::make_unique<ConvGradInput<F>>(contract);
}

template std::unique_ptr<Runner> make_conv_grad_input<float>(const kernel::Contract&);
template std::unique_ptr<Runner> make_conv_grad_input<double>(const kernel::Contract&);

}  // namespace tensorgrad::cpu

// Convolution, forward: unfold some output rows of one image, multiply by the packed weights, run
// the epilogue on those rows.
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
class ConvForward final : public Runner {
 public:
  explicit ConvForward(const kernel::Contract& contract)
      : s_(contract),
        epilogue_(contract,
                  std::is_same_v<F, float> ? backend::Precision::f32 : backend::Precision::f64),
        input_(contract.a),
        weight_(contract.b),
        output_(contract.c),
        accumulate_(contract.accumulate) {
    require(!accumulate_ || output_.has_value(), "an accumulated product has a destination");
  }

  ScratchNeed scratch() const override {
    const int64_t positions = s_.row_block * s_.out_width;
    const int64_t accumulators = output_ ? 0 : positions * s_.filters;
    return {
        .shared = static_cast<std::size_t>(s_.filters * s_.depth) * sizeof(F),
        .per_worker = static_cast<std::size_t>(positions * s_.depth + accumulators) * sizeof(F)};
  }

  void run(const RunContext& context) const override {
    pack_weights(context, s_, weight_, context.shared_as<F>());
    const int64_t units = s_.batch * s_.row_blocks;
    for_units(*context.pool, units, s_.flops() / static_cast<double>(units),
              [&](int64_t unit, int worker) {
                run_rows(context, unit / s_.row_blocks, unit % s_.row_blocks * s_.row_block,
                         worker);
              });
  }

 private:
  void run_rows(const RunContext& context, int64_t n, int64_t row, int worker) const {
    const int64_t rows = std::min(s_.row_block, s_.out_height - row);
    F* const unfolded = context.worker_as<F>(worker);
    F* const dense = unfolded + s_.row_block * s_.out_width * s_.depth;
    // Strides of the accumulators along [n, o, oh, ow] and the first of these rows.
    std::array<int64_t, 4> to{0, 1, s_.out_width * s_.filters, s_.filters};
    if (!s_.channels_last) to = {0, rows * s_.out_width, s_.out_width, 1};
    F* first = dense;
    if (output_) {
      std::copy_n(output_->strides.begin(), 4, to.begin());
      first = element<F>(context, output_->buffer, output_->offset) + n * to[0] + row * to[2];
    }
    const F* const image =
        element<const F>(context, input_.buffer, input_.offset) + n * input_.strides[0];
    const ImageStrides strides{input_.strides[1], input_.strides[2], input_.strides[3]};
    // Output rows that follow each other in memory are one product.
    const bool whole = rows == 1 || to[2] == s_.out_width * to[3];
    for (int64_t group = 0; group < s_.groups; ++group) {
      unfold(s_, image + group * s_.group_channels * strides.c, strides, row, rows, unfolded);
      const Columns<F> cols = columns(s_, unfolded, rows);
      GemmArgs<F> args;
      args.m = whole ? rows * s_.out_width : s_.out_width;
      args.n = s_.group_filters;
      args.k = s_.depth;
      args.a_row = cols.position;
      args.a_col = cols.term;
      args.b = context.shared_as<const F>() + group * s_.depth * s_.group_filters;
      args.b_row = s_.group_filters;
      args.b_col = 1;
      args.c_row = to[3];
      args.c_col = to[1];
      args.accumulate = accumulate_;
      for (int64_t i = 0; i < (whole ? 1 : rows); ++i) {
        args.a = unfolded + i * s_.out_width * cols.position;
        args.c = first + group * s_.group_filters * to[1] + i * to[2];
        gemm(args);
      }
    }
    const std::array<int64_t, 4> begin{n, 0, row, 0};
    const std::array<int64_t, 4> end{n + 1, s_.filters, row + rows, s_.out_width};
    epilogue_.run(context, begin, end, {first, to});
  }

  ConvSizes s_;
  Epilogue epilogue_;
  kernel::Access input_, weight_;
  std::optional<kernel::Access> output_;
  bool accumulate_;
};

}  // namespace

template <class F>
std::unique_ptr<Runner> make_conv_forward(const kernel::Contract& contract) {
  return std::make_unique<ConvForward<F>>(contract);
}

template std::unique_ptr<Runner> make_conv_forward<float>(const kernel::Contract&);
template std::unique_ptr<Runner> make_conv_forward<double>(const kernel::Contract&);

}  // namespace tensorgrad::cpu

// Convolution, gradient of the weight: blocks of output rows of all images are dealt to a fixed
// number of parts; each part adds up its blocks, then the parts are added in order.
#include <type_traits>

#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/conv_common.h"
#include "tensorgrad/backend/cpu/conv_weight_sum.h"
#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kMaxParts = 16;

template <class F>
class ConvGradWeight final : public Runner {
 public:
  explicit ConvGradWeight(const kernel::Contract& contract)
      : s_(contract),
        sum_(contract,
             std::is_same_v<F, float> ? backend::Precision::f32 : backend::Precision::f64),
        input_(contract.a),
        cotangent_(contract.b) {
    require(!contract.accumulate || contract.c.has_value(),
            "an accumulated product has a destination");
    const int64_t blocks = s_.batch * s_.row_blocks;
    part_blocks_ = ceil_div(blocks, std::min(blocks, kMaxParts));
    parts_ = ceil_div(blocks, part_blocks_);
  }

  ScratchNeed scratch() const override {
    const auto unfolded =
        static_cast<std::size_t>(s_.row_block * s_.out_width * s_.depth) * sizeof(F);
    return {.shared = static_cast<std::size_t>(parts_ * s_.filters * s_.depth) * sizeof(F),
            .per_worker = std::max(unfolded, sum_.worker_bytes())};
  }

  void run(const RunContext& context) const override {
    const int64_t units = parts_ * s_.groups;
    for_units(*context.pool, units, s_.flops() / static_cast<double>(units),
              [&](int64_t unit, int worker) {
                run_part(context, unit / s_.groups, unit % s_.groups, worker);
              });
    WeightParts<F> parts{context.shared_as<const F>(), parts_, s_.filters * s_.depth, {}};
    if (s_.channels_last) {
      parts.strides = {s_.depth, 1, s_.kernel_width * s_.group_channels, s_.group_channels};
    } else {
      parts.strides = {s_.depth, s_.kernel_height * s_.kernel_width, s_.kernel_width, 1};
    }
    sum_.run(context, parts);
  }

 private:
  void run_part(const RunContext& context, int64_t part, int64_t group, int worker) const {
    F* const unfolded = context.worker_as<F>(worker);
    F* const partial =
        context.shared_as<F>() + (part * s_.filters + group * s_.group_filters) * s_.depth;
    const ImageStrides strides{input_.strides[1], input_.strides[2], input_.strides[3]};
    const auto& from = cotangent_.strides;
    const int64_t last = std::min((part + 1) * part_blocks_, s_.batch * s_.row_blocks);
    bool started = false;
    for (int64_t block = part * part_blocks_; block < last; ++block) {
      const int64_t n = block / s_.row_blocks, row = block % s_.row_blocks * s_.row_block;
      const int64_t rows = std::min(s_.row_block, s_.out_height - row);
      const F* const image = element<const F>(context, input_.buffer, input_.offset) +
                             n * input_.strides[0] + group * s_.group_channels * strides.c;
      const F* const cotangent = element<const F>(context, cotangent_.buffer, cotangent_.offset) +
                                 n * from[0] + group * s_.group_filters * from[1] + row * from[2];
      unfold(s_, image, strides, row, rows, unfolded);
      const Columns<F> cols = columns(s_, unfolded, rows);
      const bool whole = rows == 1 || from[2] == s_.out_width * from[3];
      GemmArgs<F> args;
      args.m = s_.group_filters;
      args.n = s_.depth;
      args.k = whole ? rows * s_.out_width : s_.out_width;
      args.a_row = from[1];
      args.a_col = from[3];
      args.b_row = cols.position;
      args.b_col = cols.term;
      args.c = partial;
      args.c_row = s_.depth;
      args.c_col = 1;
      for (int64_t i = 0; i < (whole ? 1 : rows); ++i) {
        args.a = cotangent + i * from[2];
        args.b = unfolded + i * s_.out_width * cols.position;
        args.accumulate = started;
        gemm(args);
        started = true;
      }
    }
  }

  ConvSizes s_;
  WeightSum<F> sum_;
  kernel::Access input_, cotangent_;
  int64_t part_blocks_ = 1, parts_ = 1;
};

}  // namespace

template <class F>
std::unique_ptr<Runner> make_conv_grad_weight(const kernel::Contract& contract) {
  return std::make_unique<ConvGradWeight<F>>(contract);
}

template std::unique_ptr<Runner> make_conv_grad_weight<float>(const kernel::Contract&);
template std::unique_ptr<Runner> make_conv_grad_weight<double>(const kernel::Contract&);

}  // namespace tensorgrad::cpu

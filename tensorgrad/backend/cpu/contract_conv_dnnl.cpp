// Convolutions by oneDNN: chunks are ranges of images, each one call of a primitive made for that
// many images. Weight gradients of the ranges are added in order.
#include "tensorgrad/backend/cpu/choose.h"
#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/conv_common.h"
#include "tensorgrad/backend/cpu/conv_weight_sum.h"
#include "tensorgrad/backend/cpu/dnnl_cache.h"

namespace tensorgrad::cpu {
namespace {

using kernel::ContractKind;
using std::int64_t;
using Strides = std::array<int64_t, 4>;

ConvShape shape_of(const ConvSizes& s, ContractKind kind, int64_t images, const Strides& in,
                   const Strides& out) {
  ConvShape shape;
  shape.pass = kind == ContractKind::conv_forward      ? ConvPass::kForward
               : kind == ContractKind::conv_grad_input ? ConvPass::kBackwardData
                                                       : ConvPass::kBackwardWeights;
  shape.batch = images;
  shape.groups = s.groups;
  shape.in_channels = s.channels;
  shape.out_channels = s.filters;
  shape.in_size = {s.height, s.width};
  shape.out_size = {s.out_height, s.out_width};
  shape.kernel = {s.kernel_height, s.kernel_width};
  shape.stride = s.attrs.stride;
  shape.padding = s.attrs.padding;
  shape.dilation = s.attrs.dilation;
  shape.in_strides = in;
  shape.out_strides = out;
  return shape;
}

Strides strides_of(const kernel::Access& access) {
  Strides out{};
  std::copy_n(access.strides.begin(), 4, out.begin());
  return out;
}

// The primitives take weights that are dense [O, C/g, H, W] only.
bool is_dense(const kernel::Access& access, const Strides& shape) {
  int64_t expected = 1;
  for (std::size_t axis = 4; axis-- > 0; expected *= shape[axis]) {
    if (shape[axis] > 1 && access.strides[axis] != expected) return false;
  }
  return true;
}

// Images in equal ranges; the last may be shorter.
struct Ranges {
  int64_t images = 1, count = 1;
  Ranges(const ConvSizes& s, ContractKind kind)
      : images(conv_images_per_chunk(shape_of(s, kind, s.batch, {}, {}))),
        count(ceil_div(s.batch, images)) {}
  int64_t last_images(const ConvSizes& s) const { return s.batch - (count - 1) * images; }
};

// Forward and gradient of the input: images in, images out.
class ImagesRunner final : public Runner {
 public:
  static std::unique_ptr<Runner> make(const kernel::Contract& contract) {
    if (contract.accumulate || !is_dense(contract.b, contract.weight_shape)) return nullptr;
    std::unique_ptr<ImagesRunner> runner(new ImagesRunner(contract));
    const bool forward = contract.kind == ContractKind::conv_forward;
    const Strides from = strides_of(contract.a);
    const Strides& in = forward ? from : runner->to_;
    const Strides& out = forward ? runner->to_ : from;
    const ConvSizes& s = runner->s_;
    const int64_t images = runner->ranges_.images, last = runner->ranges_.last_images(s);
    runner->full_ = shared_dnnl_conv(shape_of(s, contract.kind, images, in, out));
    runner->last_ = last == images ? runner->full_
                                   : shared_dnnl_conv(shape_of(s, contract.kind, last, in, out));
    if (!runner->full_ || !runner->last_) return nullptr;
    return runner;
  }

  ScratchNeed scratch() const override {
    if (result_) return {};
    return {.shared = 0,
            .per_worker = static_cast<std::size_t>(ranges_.images * to_[0]) * sizeof(float)};
  }

  void run(const RunContext& context) const override {
    const auto* const from = element<const float>(context, from_.buffer, from_.offset);
    const auto* const weight = element<const float>(context, weight_.buffer, weight_.offset);
    context.pool->parallel_for(ranges_.count, [&](int64_t chunk, int worker) {
      const int64_t n = chunk * ranges_.images;
      const int64_t images = std::min(ranges_.images, s_.batch - n);
      float* const to = result_
                            ? element<float>(context, result_->buffer, result_->offset) + n * to_[0]
                            : context.worker_as<float>(worker);
      (images == ranges_.images ? full_ : last_)->run(from + n * from_.strides[0], weight, to);
      const Strides begin{n, 0, 0, 0};
      const Strides end{n + images, shape_[1], shape_[2], shape_[3]};
      epilogue_.run(context, begin, end, {to, to_});
    });
  }

 private:
  explicit ImagesRunner(const kernel::Contract& contract)
      : s_(contract),
        ranges_(s_, contract.kind),
        epilogue_(contract, backend::Precision::f32),
        from_(contract.a),
        weight_(contract.b),
        result_(contract.c),
        shape_(contract.kind == ContractKind::conv_forward ? contract.output_shape
                                                           : contract.input_shape) {
    to_ = s_.channels_last ? nhwc_strides(shape_[1], {shape_[2], shape_[3]})
                           : nchw_strides(shape_[1], {shape_[2], shape_[3]});
    if (result_) to_ = strides_of(*result_);
  }

  ConvSizes s_;
  Ranges ranges_;
  Epilogue epilogue_;
  kernel::Access from_, weight_;
  std::optional<kernel::Access> result_;
  Strides shape_, to_{};  // of the result
  std::shared_ptr<const DnnlConv> full_, last_;
};

class WeightRunner final : public Runner {
 public:
  static std::unique_ptr<Runner> make(const kernel::Contract& contract) {
    std::unique_ptr<WeightRunner> runner(new WeightRunner(contract));
    const Strides in = strides_of(contract.a), out = strides_of(contract.b);
    const ConvSizes& s = runner->s_;
    const int64_t images = runner->ranges_.images, last = runner->ranges_.last_images(s);
    runner->full_ = shared_dnnl_conv(shape_of(s, contract.kind, images, in, out));
    runner->last_ = last == images ? runner->full_
                                   : shared_dnnl_conv(shape_of(s, contract.kind, last, in, out));
    if (!runner->full_ || !runner->last_) return nullptr;
    return runner;
  }

  ScratchNeed scratch() const override {
    return {.shared = static_cast<std::size_t>(ranges_.count * size()) * sizeof(float),
            .per_worker = sum_.worker_bytes()};
  }

  void run(const RunContext& context) const override {
    const auto* const input = element<const float>(context, input_.buffer, input_.offset);
    const auto* const cotangent =
        element<const float>(context, cotangent_.buffer, cotangent_.offset);
    context.pool->parallel_for(ranges_.count, [&](int64_t chunk, int) {
      const int64_t n = chunk * ranges_.images;
      const int64_t images = std::min(ranges_.images, s_.batch - n);
      (images == ranges_.images ? full_ : last_)
          ->run(input + n * input_.strides[0], cotangent + n * cotangent_.strides[0],
                context.shared_as<float>() + chunk * size());
    });
    const int64_t taps = s_.kernel_height * s_.kernel_width;
    sum_.run(context, {context.shared_as<const float>(),
                       ranges_.count,
                       size(),
                       {s_.depth, taps, s_.kernel_width, 1}});
  }

 private:
  explicit WeightRunner(const kernel::Contract& contract)
      : s_(contract),
        ranges_(s_, contract.kind),
        sum_(contract, backend::Precision::f32),
        input_(contract.a),
        cotangent_(contract.b) {}

  int64_t size() const { return s_.filters * s_.depth; }

  ConvSizes s_;
  Ranges ranges_;
  WeightSum<float> sum_;
  kernel::Access input_, cotangent_;
  std::shared_ptr<const DnnlConv> full_, last_;
};

}  // namespace

std::unique_ptr<Runner> make_conv_dnnl(const kernel::Contract& contract) {
  if (!DnnlConv::available()) return nullptr;
  if (contract.kind == ContractKind::conv_grad_weight) return WeightRunner::make(contract);
  return ImagesRunner::make(contract);
}

}  // namespace tensorgrad::cpu

// The last step of a weight gradient: partial gradients of ranges of the batch, added in order,
// then the epilogue.
#pragma once

#include <array>
#include <cstdint>

#include "tensorgrad/backend/cpu/conv_common.h"
#include "tensorgrad/backend/cpu/epilogue.h"

namespace tensorgrad::cpu {

/// Partial gradients one after the other, each `size` elements with these strides of [O, C/g, H,
/// W].
template <class F>
struct WeightParts {
  const F* first = nullptr;
  std::int64_t count = 1, size = 0;
  std::array<std::int64_t, 4> strides{};
};

template <class F>
class WeightSum {
 public:
  WeightSum(const kernel::Contract& contract, backend::Precision precision)
      : shape_(contract.weight_shape),
        epilogue_(contract, precision),
        gradient_(contract.c),
        accumulate_(contract.accumulate) {}

  /// Bytes of a worker's accumulators.
  std::size_t worker_bytes() const { return gradient_ ? 0 : filter_size() * sizeof(F); }

  void run(const RunContext& context, const WeightParts<F>& parts) const {
    const double work = static_cast<double>(filter_size()) * static_cast<double>(parts.count) * 8;
    for_units(*context.pool, shape_[0], work,
              [&](std::int64_t filter, int worker) { run_filter(context, parts, filter, worker); });
  }

 private:
  std::size_t filter_size() const {
    return static_cast<std::size_t>(shape_[1] * shape_[2] * shape_[3]);
  }

  void run_filter(const RunContext& context, const WeightParts<F>& parts, std::int64_t filter,
                  int worker) const {
    std::array<std::int64_t, 4> to{0, shape_[2] * shape_[3], shape_[3], 1};
    F* first = nullptr;
    if (gradient_) {
      std::copy_n(gradient_->strides.begin(), 4, to.begin());
      first = element<F>(context, gradient_->buffer, gradient_->offset) + filter * to[0];
    } else {
      first = context.worker_as<F>(worker);
    }
    const F* const from = parts.first + filter * parts.strides[0];
    for (std::int64_t c = 0; c < shape_[1]; ++c) {
      for (std::int64_t h = 0; h < shape_[2]; ++h) {
        for (std::int64_t w = 0; w < shape_[3]; ++w) {
          F* const target = first + c * to[1] + h * to[2] + w * to[3];
          const F* const term =
              from + c * parts.strides[1] + h * parts.strides[2] + w * parts.strides[3];
          F sum = accumulate_ ? *target : F{0};
          for (std::int64_t part = 0; part < parts.count; ++part) sum += term[part * parts.size];
          *target = sum;
        }
      }
    }
    const std::array<std::int64_t, 4> begin{filter, 0, 0, 0};
    const std::array<std::int64_t, 4> end{filter + 1, shape_[1], shape_[2], shape_[3]};
    epilogue_.run(context, begin, end, {first, to});
  }

  std::array<std::int64_t, 4> shape_;
  Epilogue epilogue_;
  std::optional<kernel::Access> gradient_;
  bool accumulate_;
};

}  // namespace tensorgrad::cpu

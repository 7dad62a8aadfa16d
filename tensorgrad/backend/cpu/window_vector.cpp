// Compiled once per vector target and picked at run time. A vector of channels keeps its best value
// and place in registers over the whole window.
#include "tensorgrad/backend/cpu/window_vector.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/window_vector.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void max_lanes(D d, const MaxWindow& window, std::int64_t channel) {
  const hn::RebindToSigned<D> di;
  auto best = hn::LoadU(d, window.input + channel);
  auto place = hn::Set(di, window.first_index);
  for (std::int64_t row = 0; row < window.rows; ++row) {
    const float* at = window.input + row * window.row_stride + channel;
    std::int32_t index = window.first_index + static_cast<std::int32_t>(row) * window.width;
    for (std::int64_t col = 0; col < window.cols; ++col, at += window.col_stride, ++index) {
      const auto value = hn::LoadU(d, at);
      // Taken when larger or NaN, unless a NaN was taken before. The first element is not larger
      // than itself, and taking it twice would do no harm.
      const auto keep = hn::Or(hn::Le(value, best), hn::IsNaN(best));
      best = hn::IfThenElse(keep, best, value);
      place = hn::IfThenElse(hn::RebindMask(di, keep), place, hn::Set(di, index));
    }
  }
  if (window.output != nullptr) hn::StoreU(best, d, window.output + channel);
  if (window.index != nullptr) hn::StoreU(place, di, window.index + channel);
}

template <class D>
HWY_INLINE void grad_lanes(D d, const MaxWindowGrad& window, std::int64_t channel) {
  const hn::RebindToSigned<D> di;
  const auto place = hn::Set(di, window.place);
  auto sum = hn::Zero(d);
  for (std::int64_t row = 0; row < window.rows; ++row) {
    const float* at = window.cotangent + row * window.row_stride + channel;
    const std::int32_t* index = window.index + row * window.index_row_stride + channel;
    for (std::int64_t col = 0; col < window.cols; ++col) {
      const auto chosen = hn::RebindMask(d, hn::Eq(hn::LoadU(di, index), place));
      sum = hn::Add(sum, hn::IfThenElseZero(chosen, hn::LoadU(d, at)));
      at += window.col_stride;
      index += window.index_col_stride;
    }
  }
  hn::StoreU(sum, d, window.gradient + channel);
}

template <class Window, class Lanes>
HWY_INLINE void over_channels(std::int64_t channels, const Window&, Lanes lanes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t channel = 0;
  for (; channel + width <= channels; channel += width) lanes(d, channel);
  if (channels >= width && channel < channels) {
    lanes(d, channels - width);  // overlaps the last vector: the same values again
  } else {
    for (; channel < channels; ++channel) lanes(one, channel);
  }
}

void MaxWindowImpl(const MaxWindow& window, std::int64_t channels) {
  over_channels(channels, window,
                [&](auto d, std::int64_t channel) HWY_ATTR { max_lanes(d, window, channel); });
}

void MaxWindowGradImpl(const MaxWindowGrad& window, std::int64_t channels) {
  over_channels(channels, window,
                [&](auto d, std::int64_t channel) HWY_ATTR { grad_lanes(d, window, channel); });
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(MaxWindowImpl);
HWY_EXPORT(MaxWindowGradImpl);

void max_window(const MaxWindow& window, std::int64_t channels) {
  HWY_DYNAMIC_DISPATCH(MaxWindowImpl)(window, channels);
}

void max_window_grad(const MaxWindowGrad& window, std::int64_t channels) {
  HWY_DYNAMIC_DISPATCH(MaxWindowGradImpl)(window, channels);
}

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE

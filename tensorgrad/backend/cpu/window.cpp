// Chunks are ranges of (image, row) where channels lie side by side, else of (image, channel, row).
#include "tensorgrad/backend/cpu/window.h"

#include <type_traits>

#include "tensorgrad/backend/cpu/window_vector.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kOneChunk = 1 << 15;  // elements looked at that are not worth a second thread
constexpr int64_t kChunkWork = 1 << 14;
constexpr int64_t kMaxChunks = 64;

// [begin, end) of an axis.
struct Range {
  int64_t begin = 0, end = 0;
};

template <class F>
class WindowRunner final : public Runner {
 public:
  explicit WindowRunner(const kernel::Window& window) : w_(window) {
    require(w_.input.strides.size() == 4 && (!w_.output || w_.output->strides.size() == 4) &&
                (!w_.index || w_.index->strides.size() == 4),
            "a window kernel's strides are [n, c, h, w]");
    require(!backward() || (w_.output && w_.index),
            "the backward pass reads a cotangent and an index");
    by_channel_ = std::is_same_v<F, float> && channels() > 1 && side_by_side(&w_.input) &&
                  side_by_side(w_.output ? &*w_.output : nullptr) &&
                  side_by_side(w_.index ? &*w_.index : nullptr);
    const auto& shape = backward() ? w_.input_shape : w_.output_shape;
    height_ = shape[2];
    lines_ = shape[0] * height_ * (by_channel_ ? 1 : channels());
    const int64_t taps = backward() ? 2 : w_.pool.kernel[0] * w_.pool.kernel[1];
    const int64_t line_work = shape[3] * taps * (by_channel_ ? channels() : 8);
    const int64_t work = lines_ * line_work;
    const int64_t chunks =
        work <= kOneChunk ? 1 : std::clamp<int64_t>(work / kChunkWork, 2, kMaxChunks);
    lines_per_chunk_ = ceil_div(lines_, chunks);
  }

  void run(const RunContext& context) const override {
    context.pool->parallel_for(ceil_div(lines_, lines_per_chunk_), [&](int64_t chunk, int) {
      const int64_t last = std::min(lines_, (chunk + 1) * lines_per_chunk_);
      for (int64_t line = chunk * lines_per_chunk_; line < last; ++line) {
        const int64_t row = line % height_;
        const int64_t image = line / height_;
        const int64_t n = by_channel_ ? image : image / channels();
        const int64_t c = by_channel_ ? 0 : image % channels();
        if (backward()) {
          backward_line(context, n, c, row);
        } else {
          forward_line(context, n, c, row);
        }
      }
    });
  }

 private:
  bool backward() const { return w_.kind == kernel::WindowKind::max_backward; }
  int64_t channels() const { return w_.input_shape[1]; }
  static bool side_by_side(const kernel::Access* access) {
    return access == nullptr || access->strides[1] == 1;
  }

  // Input positions of window `out` along spatial axis `axis`.
  Range inputs(std::size_t axis, int64_t out) const {
    const int64_t begin = out * w_.pool.stride[axis] - w_.pool.padding[axis];
    return {std::max<int64_t>(begin, 0),
            std::min(begin + w_.pool.kernel[axis], w_.input_shape[axis + 2])};
  }

  // Windows that hold input position `in` along spatial axis `axis`.
  Range windows(std::size_t axis, int64_t in) const {
    const int64_t stride = w_.pool.stride[axis];
    const int64_t at = in + w_.pool.padding[axis];
    const int64_t before = at - w_.pool.kernel[axis] + 1;  // the first window begins here or later
    return {before <= 0 ? 0 : ceil_div(before, stride),
            std::min(at / stride + 1, w_.output_shape[axis + 2])};
  }

  template <class T>
  static T* place(const RunContext& context, const kernel::Access& access, int64_t n, int64_t c,
                  int64_t h, int64_t w) {
    return element<T>(context, access.buffer,
                      access.offset + n * access.strides[0] + c * access.strides[1] +
                          h * access.strides[2] + w * access.strides[3]);
  }

  void forward_line(const RunContext& context, int64_t n, int64_t c, int64_t oh) const {
    const Range rows = inputs(0, oh);
    for (int64_t ow = 0; ow < w_.output_shape[3]; ++ow) {
      const Range cols = inputs(1, ow);
      const F* const in = place<const F>(context, w_.input, n, c, rows.begin, cols.begin);
      F* const out = w_.output ? place<F>(context, *w_.output, n, c, oh, ow) : nullptr;
      std::int32_t* const index =
          w_.index ? place<std::int32_t>(context, *w_.index, n, c, oh, ow) : nullptr;
      if constexpr (std::is_same_v<F, float>) {
        if (by_channel_) {
          max_window({in, w_.input.strides[2], w_.input.strides[3], rows.end - rows.begin,
                      cols.end - cols.begin,
                      static_cast<std::int32_t>(rows.begin * w_.input_shape[3] + cols.begin),
                      static_cast<std::int32_t>(w_.input_shape[3]), out, index},
                     channels());
          continue;
        }
      }
      F best = *in;
      int64_t chosen = rows.begin * w_.input_shape[3] + cols.begin;
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        for (int64_t w = cols.begin; w < cols.end; ++w) {
          const F value =
              in[(h - rows.begin) * w_.input.strides[2] + (w - cols.begin) * w_.input.strides[3]];
          if (value <= best || best != best) continue;
          best = value;
          chosen = h * w_.input_shape[3] + w;
        }
      }
      if (out != nullptr) *out = best;
      if (index != nullptr) *index = static_cast<std::int32_t>(chosen);
    }
  }

  void backward_line(const RunContext& context, int64_t n, int64_t c, int64_t h) const {
    const Range rows = windows(0, h);
    for (int64_t w = 0; w < w_.input_shape[3]; ++w) {
      const Range cols = windows(1, w);
      const F* const cotangent = place<const F>(context, *w_.output, n, c, rows.begin, cols.begin);
      const auto* const index =
          place<const std::int32_t>(context, *w_.index, n, c, rows.begin, cols.begin);
      F* const gradient = place<F>(context, w_.input, n, c, h, w);
      const auto here = static_cast<std::int32_t>(h * w_.input_shape[3] + w);
      if constexpr (std::is_same_v<F, float>) {
        if (by_channel_) {
          max_window_grad(
              {cotangent, index, w_.output->strides[2], w_.output->strides[3], w_.index->strides[2],
               w_.index->strides[3], rows.end - rows.begin, cols.end - cols.begin, here, gradient},
              channels());
          continue;
        }
      }
      F sum{0};
      for (int64_t i = 0; i < rows.end - rows.begin; ++i) {
        for (int64_t j = 0; j < cols.end - cols.begin; ++j) {
          if (index[i * w_.index->strides[2] + j * w_.index->strides[3]] != here) continue;
          sum += cotangent[i * w_.output->strides[2] + j * w_.output->strides[3]];
        }
      }
      *gradient = sum;
    }
  }

  kernel::Window w_;
  bool by_channel_ = false;
  int64_t height_ = 0, lines_ = 0, lines_per_chunk_ = 1;
};

}  // namespace

std::unique_ptr<Runner> make_window(const kernel::Window& window, backend::Precision precision) {
  if (precision == backend::Precision::f64) return std::make_unique<WindowRunner<double>>(window);
  return std::make_unique<WindowRunner<float>>(window);
}

}  // namespace tensorgrad::cpu

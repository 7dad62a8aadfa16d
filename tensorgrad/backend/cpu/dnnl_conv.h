// One convolution of oneDNN, forward or either gradient, with sizes and layouts fixed when it is
// made. Operands keep their plain layouts outside; blocked formats and the reorders to and from
// them stay inside. Runs on the calling thread only: callers split the batch into chunks, and add
// the weight gradients of chunks in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tensorgrad::cpu {

enum class ConvPass { kForward, kBackwardData, kBackwardWeights };

/// Sizes of a two-dimensional convolution. Index 0 of a pair is the height, 1 the width.
struct ConvShape {
  ConvPass pass = ConvPass::kForward;
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t in_channels = 1;   ///< of all groups together
  int64_t out_channels = 1;  ///< of all groups together
  std::array<int64_t, 2> in_size{1, 1};
  std::array<int64_t, 2> out_size{1, 1};
  std::array<int64_t, 2> kernel{1, 1};
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 2> padding{0,
                                 0};  ///< before the first element; that after follows from sizes
  std::array<int64_t, 2> dilation{1, 1};  ///< 1 is dense
  /// Elements between neighbours along batch, channel, height, width. The weight is always dense
  /// [out_channels, in_channels / groups, height, width].
  std::array<int64_t, 4> in_strides{};
  std::array<int64_t, 4> out_strides{};
};

/// Strides of a dense activation with channels before (NCHW) or after (NHWC) the image axes.
std::array<int64_t, 4> nchw_strides(int64_t channels, std::array<int64_t, 2> size);
std::array<int64_t, 4> nhwc_strides(int64_t channels, std::array<int64_t, 2> size);

class DnnlConv {
 public:
  /// Whether the library was built with oneDNN.
  static bool available();

  /// Throws InternalError if oneDNN is absent or refuses the shape.
  explicit DnnlConv(const ConvShape& shape);
  ~DnnlConv();
  DnnlConv(DnnlConv&&) noexcept;
  DnnlConv& operator=(DnnlConv&&) noexcept;

  /// Bytes that run() needs at `scratch`.
  size_t scratch_bytes() const;
  /// Overwrites `result` on the calling thread; several threads may run one object at once, each
  /// with its own scratch. With a null `scratch` the thread's own buffer serves.
  ///   kForward:         (input, weight) -> output
  ///   kBackwardData:    (output gradient, weight) -> input gradient
  ///   kBackwardWeights: (input, output gradient) -> weight gradient
  void run(const float* first, const float* second, float* result, void* scratch = nullptr) const;
  /// The name oneDNN gives to the implementation, for logs.
  const char* implementation() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tensorgrad::cpu

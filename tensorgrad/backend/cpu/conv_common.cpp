#include "tensorgrad/backend/cpu/conv_common.h"

#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kColumnElements = 1 << 15;  // unfolded at once: half of a second-level cache

// Calls run(input position, output position, count) for each kernel tap along the width: positions
// [begin, begin + count) of the output row read the input without padding.
struct Span {
  int64_t begin, end;
};

// Output positions whose tap `offset` (already times dilation) lies inside [0, extent).
Span inside(int64_t outputs, int64_t stride, int64_t offset, int64_t extent) {
  const int64_t first = offset >= 0 ? 0 : ceil_div(-offset, stride);
  const int64_t last = extent - 1 - offset;  // largest input step
  const int64_t end = last < 0 ? 0 : std::min(outputs, last / stride + 1);
  return {std::min(first, end), end};
}

// Walks one tap (kh, kw) of output rows [row, row + rows): inside(position, input h, input w of the
// first, begin, end) per row; rows wholly in the padding have begin == end.
template <class Body>
void for_each_row(const ConvSizes& s, int64_t kh, int64_t kw, int64_t row, int64_t rows,
                  Body&& body) {
  const int64_t offset = kw * s.attrs.dilation[1] - s.attrs.padding[1];
  const Span span = inside(s.out_width, s.attrs.stride[1], offset, s.width);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t h = (row + i) * s.attrs.stride[0] + kh * s.attrs.dilation[0] - s.attrs.padding[0];
    if (h < 0 || h >= s.height) {
      body(i * s.out_width, h, offset, Span{0, 0});
    } else {
      body(i * s.out_width, h, offset, span);
    }
  }
}

}  // namespace

ConvSizes::ConvSizes(const kernel::Contract& contract) : attrs(contract.conv) {
  batch = contract.input_shape[0];
  channels = contract.input_shape[1];
  height = contract.input_shape[2];
  width = contract.input_shape[3];
  filters = contract.weight_shape[0];
  group_channels = contract.weight_shape[1];
  kernel_height = contract.weight_shape[2];
  kernel_width = contract.weight_shape[3];
  out_height = contract.output_shape[2];
  out_width = contract.output_shape[3];
  groups = contract.conv.groups;
  require(groups > 0 && groups * group_channels == channels && filters % groups == 0,
          "the groups of a convolution divide its channels");
  group_filters = filters / groups;
  depth = group_channels * kernel_height * kernel_width;
  channels_last = is_channels_last(contract);
  row_block = std::clamp<int64_t>(kColumnElements / (depth * out_width), 1, out_height);
  row_blocks = ceil_div(out_height, row_block);
}

double ConvSizes::flops() const {
  return 2.0 * static_cast<double>(batch * filters * out_height) *
         static_cast<double>(out_width * depth);
}

bool is_channels_last(const kernel::Contract& contract) {
  const auto last = [](const kernel::Access& access, int64_t channels) {
    return channels > 1 && access.strides[1] == 1;
  };
  using kernel::ContractKind;
  const int64_t in = contract.input_shape[1], out = contract.output_shape[1];
  switch (contract.kind) {
    case ContractKind::conv_forward:
      if (last(contract.a, in) || (contract.c && last(*contract.c, out))) return true;
      break;
    case ContractKind::conv_grad_input:
      if (last(contract.a, out) || (contract.c && last(*contract.c, in))) return true;
      break;
    default: return last(contract.a, in) || last(contract.b, out);
  }
  if (contract.c || !contract.epilogue) return false;
  // Nothing but the epilogue's own tensors say how the accumulators are read.
  for (const kernel::Access& access : contract.epilogue->accesses) {
    if (access.buffer >= 0 && access.strides[1] == 1 && access.strides[3] > 1) return true;
  }
  return false;
}

template <class F>
void unfold(const ConvSizes& s, const F* image, const ImageStrides& strides, int64_t row,
            int64_t rows, F* to) {
  const Columns<F> cols = columns(s, to, rows);
  for (int64_t kh = 0; kh < s.kernel_height; ++kh) {
    for (int64_t kw = 0; kw < s.kernel_width; ++kw) {
      for_each_row(s, kh, kw, row, rows, [&](int64_t position, int64_t h, int64_t offset, Span in) {
        const int64_t step = s.attrs.stride[1];
        if (s.channels_last) {
          F* const column = to + position * s.depth + (kh * s.kernel_width + kw) * s.group_channels;
          for (int64_t w = 0; w < s.out_width; ++w) {
            F* const target = column + w * cols.position;
            if (w < in.begin || w >= in.end) {
              std::fill_n(target, s.group_channels, F{0});
              continue;
            }
            const F* const from = image + h * strides.h + (w * step + offset) * strides.w;
            for (int64_t c = 0; c < s.group_channels; ++c) target[c] = from[c * strides.c];
          }
          return;
        }
        for (int64_t c = 0; c < s.group_channels; ++c) {
          F* const line =
              to + ((c * s.kernel_height + kh) * s.kernel_width + kw) * cols.term + position;
          std::fill(line, line + in.begin, F{0});
          for (int64_t w = in.begin; w < in.end; ++w) {
            line[w] = image[c * strides.c + h * strides.h + (w * step + offset) * strides.w];
          }
          std::fill(line + in.end, line + s.out_width, F{0});
        }
      });
    }
  }
}

template <class F>
void fold_add(const ConvSizes& s, const F* from, int64_t row, int64_t rows, F* image,
              const ImageStrides& strides) {
  const Columns<const F> cols = columns(s, from, rows);
  for (int64_t kh = 0; kh < s.kernel_height; ++kh) {
    for (int64_t kw = 0; kw < s.kernel_width; ++kw) {
      for_each_row(s, kh, kw, row, rows, [&](int64_t position, int64_t h, int64_t offset, Span in) {
        const int64_t step = s.attrs.stride[1];
        if (s.channels_last) {
          const F* const column =
              from + position * s.depth + (kh * s.kernel_width + kw) * s.group_channels;
          for (int64_t w = in.begin; w < in.end; ++w) {
            F* const target = image + h * strides.h + (w * step + offset) * strides.w;
            const F* const source = column + w * cols.position;
            for (int64_t c = 0; c < s.group_channels; ++c) target[c * strides.c] += source[c];
          }
          return;
        }
        for (int64_t c = 0; c < s.group_channels; ++c) {
          const F* const line =
              from + ((c * s.kernel_height + kh) * s.kernel_width + kw) * cols.term + position;
          for (int64_t w = in.begin; w < in.end; ++w) {
            image[c * strides.c + h * strides.h + (w * step + offset) * strides.w] += line[w];
          }
        }
      });
    }
  }
}

template <class F>
void pack_weights(const RunContext& context, const ConvSizes& s, const kernel::Access& weight,
                  F* to) {
  const F* const from = element<const F>(context, weight.buffer, weight.offset);
  const int64_t taps = s.kernel_height * s.kernel_width;
  for_units(*context.pool, s.groups * s.depth, static_cast<double>(s.group_filters * 4),
            [&](int64_t unit, int) {
              const int64_t group = unit / s.depth, term = unit % s.depth;
              const int64_t c = s.channels_last ? term % s.group_channels : term / taps;
              const int64_t tap = s.channels_last ? term / s.group_channels : term % taps;
              const F* const column = from + group * s.group_filters * weight.strides[0] +
                                      c * weight.strides[1] +
                                      tap / s.kernel_width * weight.strides[2] +
                                      tap % s.kernel_width * weight.strides[3];
              F* const target = to + unit * s.group_filters;
              for (int64_t o = 0; o < s.group_filters; ++o)
                target[o] = column[o * weight.strides[0]];
            });
}

template void unfold(const ConvSizes&, const float*, const ImageStrides&, int64_t, int64_t, float*);
template void unfold(const ConvSizes&, const double*, const ImageStrides&, int64_t, int64_t,
                     double*);
template void fold_add(const ConvSizes&, const float*, int64_t, int64_t, float*,
                       const ImageStrides&);
template void fold_add(const ConvSizes&, const double*, int64_t, int64_t, double*,
                       const ImageStrides&);
template void pack_weights(const RunContext&, const ConvSizes&, const kernel::Access&, float*);
template void pack_weights(const RunContext&, const ConvSizes&, const kernel::Access&, double*);

}  // namespace tensorgrad::cpu

// Weights always take the format oneDNN asks for, and activations too unless channels come last
// already: oneDNN is slow in plain NCHW, while reorders cost 1 to 16 % over NHWC at the sizes of a
// small image network (bench/gemm_bench.cpp).
#include "tensorgrad/backend/cpu/dnnl_conv.h"

#include <string>
#include <utility>

#include "tensorgrad/base/error.h"

#if TENSORGRAD_HAS_ONEDNN
#include "tensorgrad/backend/cpu/dnnl_internal.h"
#include "tensorgrad/backend/cpu/thread_scratch.h"
#endif

namespace tensorgrad::cpu {

std::array<int64_t, 4> nchw_strides(int64_t channels, std::array<int64_t, 2> size) {
  return {channels * size[0] * size[1], size[0] * size[1], size[1], 1};
}

std::array<int64_t, 4> nhwc_strides(int64_t channels, std::array<int64_t, 2> size) {
  return {channels * size[0] * size[1], 1, size[1] * channels, channels};
}

#if TENSORGRAD_HAS_ONEDNN

namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kFloat = dnnl::memory::data_type::f32;

// Outside layout, the layout the primitive works on, and the reorder between them if they differ.
struct Operand {
  Desc outside;
  Desc inside;
  DnnlCall reorder;
  size_t offset = 0;  // of the inside copy in the scratch memory
};

struct Descs {
  Desc input;
  Desc weight;
  Desc output;
};

Descs outside_descs(const ConvShape& s) {
  const auto [kh, kw] = s.kernel;
  const int64_t in_per_group = s.in_channels / s.groups;
  const int64_t out_per_group = s.out_channels / s.groups;
  const auto dims = [](const std::array<int64_t, 4>& x) { return Dims(x.begin(), x.end()); };
  Descs d;
  d.input = {Dims{s.batch, s.in_channels, s.in_size[0], s.in_size[1]}, kFloat, dims(s.in_strides)};
  d.output = {Dims{s.batch, s.out_channels, s.out_size[0], s.out_size[1]}, kFloat,
              dims(s.out_strides)};
  const Dims strides{in_per_group * kh * kw, kh * kw, kw, 1};
  if (s.groups == 1) {
    d.weight = {Dims{s.out_channels, s.in_channels, kh, kw}, kFloat, strides};
  } else {
    d.weight = {Dims{s.groups, out_per_group, in_per_group, kh, kw}, kFloat,
                Dims{out_per_group * strides[0], strides[0], strides[1], strides[2], strides[3]}};
  }
  return d;
}

Desc any_format(const Desc& desc) { return {desc.dims(), kFloat, dnnl::memory::format_tag::any}; }

// Channels last is a format oneDNN computes in; from channels first it pays to convert.
Desc inside_request(const Desc& outside, const std::array<int64_t, 4>& strides) {
  return strides[1] == 1 && outside.dims()[1] > 1 ? outside : any_format(outside);
}

// What is chosen, as a reference for the gradients' hints too.
struct Chosen {
  dnnl::primitive primitive;
  Desc first;
  Desc second;
  Desc result;
  Desc scratch;
  std::string implementation;
};

Chosen choose(const ConvShape& s, const Descs& request) {
  const Dims strides{s.stride[0], s.stride[1]};
  const Dims dilation{s.dilation[0] - 1, s.dilation[1] - 1};
  const Dims before{s.padding[0], s.padding[1]};
  Dims after(2);
  for (int i = 0; i < 2; ++i) {
    after[i] = (s.out_size[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1 -
               s.in_size[i] - s.padding[i];
  }
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto& [input, weight, output] = request;
  const dnnl::primitive_attr attributes = dnnl_attributes();
  const dnnl::convolution_forward::primitive_desc forward(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm, input, weight,
                                      output, strides, dilation, before, after),
      attributes, dnnl_engine());
  if (s.pass == ConvPass::kForward) {
    return {dnnl::convolution_forward(forward),
            forward.src_desc(),
            forward.weights_desc(),
            forward.dst_desc(),
            forward.scratchpad_desc(),
            forward.impl_info_str()};
  }
  if (s.pass == ConvPass::kBackwardData) {
    const dnnl::convolution_backward_data::primitive_desc made(
        dnnl::convolution_backward_data::desc(algorithm, input, weight, output, strides, dilation,
                                              before, after),
        attributes, dnnl_engine(), forward);
    return {dnnl::convolution_backward_data(made),
            made.diff_dst_desc(),
            made.weights_desc(),
            made.diff_src_desc(),
            made.scratchpad_desc(),
            made.impl_info_str()};
  }
  const dnnl::convolution_backward_weights::primitive_desc made(
      dnnl::convolution_backward_weights::desc(algorithm, input, weight, output, strides, dilation,
                                               before, after),
      attributes, dnnl_engine(), forward);
  return {dnnl::convolution_backward_weights(made),
          made.src_desc(),
          made.diff_dst_desc(),
          made.diff_weights_desc(),
          made.scratchpad_desc(),
          made.impl_info_str()};
}

struct ArgumentNames {
  int first;
  int second;
  int result;
};

ArgumentNames argument_names(ConvPass pass) {
  switch (pass) {
    case ConvPass::kForward: return {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    case ConvPass::kBackwardData: return {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
    case ConvPass::kBackwardWeights:
      return {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS};
  }
  return {};
}

}  // namespace

struct DnnlConv::State {
  DnnlCall call;
  Operand first;
  Operand second;
  Operand result;
  size_t own_scratch = 0;  // of the primitives, one after the other at offset 0
  size_t total = 0;
  std::string implementation;

  void add_reorder(Operand& operand, const Desc& outside, const Desc& inside, bool is_input) {
    operand.outside = outside;
    operand.inside = inside;
    if (outside == inside) return;
    const Desc& from = is_input ? outside : inside;
    const Desc& to = is_input ? inside : outside;
    const dnnl::reorder::primitive_desc made(dnnl_engine(), from, dnnl_engine(), to,
                                             dnnl_attributes());
    own_scratch = std::max(own_scratch, made.scratchpad_desc().get_size());
    operand.reorder = DnnlCall(
        dnnl::reorder(made),
        {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_SCRATCHPAD, made.scratchpad_desc()}});
  }

  void place(Operand& operand) {
    if (!operand.reorder) return;
    operand.offset = total;
    total += scratch_round(operand.inside.get_size());
  }
};

bool DnnlConv::available() { return true; }

DnnlConv::DnnlConv(const ConvShape& shape) : state_(std::make_unique<State>()) {
  const OneThread one_thread;
  try {
    const Descs outside = outside_descs(shape);
    const Descs request{inside_request(outside.input, shape.in_strides), any_format(outside.weight),
                        inside_request(outside.output, shape.out_strides)};
    Chosen chosen = choose(shape, request);
    if (chosen.implementation.rfind("ref", 0) == 0) {
      // Plain loops for these layouts: another one may have a real implementation.
      chosen =
          choose(shape, {any_format(outside.input), request.weight, any_format(outside.output)});
    }
    const bool forward = shape.pass == ConvPass::kForward;
    const bool weights = shape.pass == ConvPass::kBackwardWeights;
    State& state = *state_;
    state.own_scratch = chosen.scratch.get_size();
    state.implementation = chosen.implementation;
    state.add_reorder(state.first, forward || weights ? outside.input : outside.output,
                      chosen.first, true);
    state.add_reorder(state.second, weights ? outside.output : outside.weight, chosen.second, true);
    state.add_reorder(state.result,
                      forward   ? outside.output
                      : weights ? outside.weight
                                : outside.input,
                      chosen.result, false);
    const ArgumentNames names = argument_names(shape.pass);
    state.call = DnnlCall(chosen.primitive, {{names.first, chosen.first},
                                             {names.second, chosen.second},
                                             {names.result, chosen.result},
                                             {DNNL_ARG_SCRATCHPAD, chosen.scratch}});
    state.total = scratch_round(state.own_scratch);
    state.place(state.first);
    state.place(state.second);
    state.place(state.result);
  } catch (const dnnl::error& error) {
    throw_internal(std::string("oneDNN refuses a convolution: ") + error.what());
  }
}

size_t DnnlConv::scratch_bytes() const { return state_->total; }

void DnnlConv::run(const float* first, const float* second, float* result, void* scratch) const {
  const State& state = *state_;
  if (scratch == nullptr) scratch = thread_scratch(state.total);
  auto* const base = static_cast<std::byte*>(scratch);
  const OneThread one_thread;
  const auto into = [&](const Operand& operand, const float* from) -> const void* {
    if (!operand.reorder) return from;
    const void* pointers[] = {from, base + operand.offset, base};
    operand.reorder.run(pointers);
    return base + operand.offset;
  };
  void* const to = state.result.reorder ? base + state.result.offset : static_cast<void*>(result);
  const void* pointers[] = {into(state.first, first), into(state.second, second), to, base};
  state.call.run(pointers);
  if (!state.result.reorder) return;
  const void* back[] = {to, result, base};
  state.result.reorder.run(back);
}

const char* DnnlConv::implementation() const { return state_->implementation.c_str(); }

#else

struct DnnlConv::State {};

bool DnnlConv::available() { return false; }
DnnlConv::DnnlConv(const ConvShape&) { throw_internal("this build has no oneDNN"); }
size_t DnnlConv::scratch_bytes() const { return 0; }
void DnnlConv::run(const float*, const float*, float*, void*) const {}
const char* DnnlConv::implementation() const { return ""; }

#endif

DnnlConv::~DnnlConv() = default;
DnnlConv::DnnlConv(DnnlConv&&) noexcept = default;
DnnlConv& DnnlConv::operator=(DnnlConv&&) noexcept = default;

}  // namespace tensorgrad::cpu

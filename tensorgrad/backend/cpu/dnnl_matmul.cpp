// oneDNN writes row-major results only, so a column-major one is computed as the transposed
// product. Strides of axes with one element are replaced by dense ones, which keep it on its fast
// paths.
#include "tensorgrad/backend/cpu/dnnl_matmul.h"

#include <algorithm>
#include <utility>

#include "tensorgrad/base/error.h"

#if TENSORGRAD_HAS_ONEDNN
#include "tensorgrad/backend/cpu/dnnl_internal.h"
#include "tensorgrad/backend/cpu/thread_scratch.h"
#endif

namespace tensorgrad::cpu {

#if TENSORGRAD_HAS_ONEDNN

namespace {

using Dims = dnnl::memory::dims;

struct Matrix {
  int64_t rows;
  int64_t cols;
  int64_t row;
  int64_t col;
};

// Strides of axes with one element are free; dense ones keep oneDNN on its fast paths.
Matrix normalized(Matrix x) {
  if (x.cols == 1 && x.rows == 1) return {1, 1, 1, 1};
  if (x.cols == 1) x.col = x.row == 1 ? x.rows : 1;
  if (x.rows == 1) x.row = x.col == 1 ? x.cols : 1;
  return x;
}

bool is_plain(Matrix x) {
  x = normalized(x);
  return (x.col == 1 && x.row >= x.cols) || (x.row == 1 && x.col >= x.rows);
}

// oneDNN writes row-major results; the transposed problem covers the others.
bool swaps(const GemmArgs<float>& g) { return normalized({g.m, g.n, g.c_row, g.c_col}).col != 1; }

dnnl::memory::desc describe(Matrix x, int64_t count, int64_t batch_stride) {
  x = normalized(x);
  const auto type = dnnl::memory::data_type::f32;
  if (count == 1) return {Dims{x.rows, x.cols}, type, Dims{x.row, x.col}};
  const int64_t extent = std::max(x.rows * x.row, x.cols * x.col);
  if (batch_stride == 0) return {Dims{1, x.rows, x.cols}, type, Dims{extent, x.row, x.col}};
  return {Dims{count, x.rows, x.cols}, type, Dims{batch_stride, x.row, x.col}};
}

}  // namespace

struct DnnlMatmul::State {
  DnnlCall call;
  bool swap = false;
  size_t scratch = 0;
  std::string implementation;
};

bool DnnlMatmul::available() { return true; }

bool DnnlMatmul::supports(const GemmArgs<float>& g, const GemmBatch& batch) {
  if (g.m <= 0 || g.n <= 0 || g.k <= 0 || batch.count <= 0) return false;
  const Matrix a{g.m, g.k, g.a_row, g.a_col};
  const Matrix b{g.k, g.n, g.b_row, g.b_col};
  const Matrix c{g.m, g.n, g.c_row, g.c_col};
  if (!is_plain(a) || !is_plain(b) || !is_plain(c)) return false;
  return batch.count == 1 || (batch.a >= 0 && batch.b >= 0 && batch.c > 0);
}

DnnlMatmul::DnnlMatmul(const GemmArgs<float>& shape, const GemmBatch& batch)
    : state_(std::make_unique<State>()) {
  require(supports(shape, batch), "oneDNN takes these strides");
  GemmArgs<float> g = shape;
  GemmBatch strides = batch;
  state_->swap = swaps(g);
  if (state_->swap) {
    std::swap(g.m, g.n);
    std::swap(g.a_row, g.b_col);
    std::swap(g.a_col, g.b_row);
    std::swap(g.c_row, g.c_col);
    std::swap(strides.a, strides.b);
  }
  const auto a = describe({g.m, g.k, g.a_row, g.a_col}, strides.count, strides.a);
  const auto b = describe({g.k, g.n, g.b_row, g.b_col}, strides.count, strides.b);
  const auto c = describe({g.m, g.n, g.c_row, g.c_col}, strides.count, strides.c);
  const OneThread one_thread;
  try {
    dnnl::primitive_attr attributes = dnnl_attributes();
    if (g.accumulate) {
      dnnl::post_ops add;
      add.append_sum(1.0f);
      attributes.set_post_ops(add);
    }
    const dnnl::matmul::primitive_desc made(dnnl::matmul::desc(a, b, c), attributes, dnnl_engine());
    state_->scratch = made.scratchpad_desc().get_size();
    state_->implementation = made.impl_info_str();
    DnnlCall::Arguments arguments{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
    if (state_->scratch > 0) {
      arguments.emplace_back(DNNL_ARG_SCRATCHPAD, made.scratchpad_desc());
    }
    state_->call = DnnlCall(dnnl::matmul(made), arguments);
  } catch (const dnnl::error& error) {
    throw_internal(std::string("oneDNN refuses a matrix product: ") + error.what());
  }
}

size_t DnnlMatmul::scratch_bytes() const { return state_->scratch; }

void DnnlMatmul::run(const float* a, const float* b, float* c, void* scratch) const {
  if (state_->scratch > 0 && scratch == nullptr) scratch = thread_scratch(state_->scratch);
  if (state_->swap) std::swap(a, b);
  const void* pointers[] = {a, b, c, scratch};
  const OneThread one_thread;
  state_->call.run(pointers);
}

const char* DnnlMatmul::implementation() const { return state_->implementation.c_str(); }

#else

struct DnnlMatmul::State {};

bool DnnlMatmul::available() { return false; }
bool DnnlMatmul::supports(const GemmArgs<float>&, const GemmBatch&) { return false; }
DnnlMatmul::DnnlMatmul(const GemmArgs<float>&, const GemmBatch&) {
  throw_internal("this build has no oneDNN");
}
size_t DnnlMatmul::scratch_bytes() const { return 0; }
void DnnlMatmul::run(const float*, const float*, float*, void*) const {}
const char* DnnlMatmul::implementation() const { return ""; }

#endif

DnnlMatmul::~DnnlMatmul() = default;
DnnlMatmul::DnnlMatmul(DnnlMatmul&&) noexcept = default;
DnnlMatmul& DnnlMatmul::operator=(DnnlMatmul&&) noexcept = default;

}  // namespace tensorgrad::cpu

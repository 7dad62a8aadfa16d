// Batched matrix products. Accumulators live in c where it is kept, else in the worker's scratch,
// and the epilogue reads them from there.
#include <type_traits>

#include "tensorgrad/backend/cpu/boxes.h"
#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/dnnl_cache.h"
#include "tensorgrad/backend/cpu/epilogue.h"
#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/backend/cpu/matmul_plan.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

// A destination: its first element and strides.
template <class F>
struct Destination {
  F* first = nullptr;
  int64_t row = 0, col = 0;
};

// Rows [row, row + rows) by columns [col, col + cols) over [k, k + depth) of the k range.
struct Block {
  int64_t row = 0, rows = 0, col = 0, cols = 0, k = 0, depth = 0;
};

template <class F>
class Matmul final : public Runner {
 public:
  explicit Matmul(const kernel::Contract& contract)
      : plan_(plan_matmul(contract)),
        epilogue_(contract,
                  std::is_same_v<F, float> ? backend::Precision::f32 : backend::Precision::f64),
        a_(contract.a),
        b_(contract.b),
        c_(contract.c),
        accumulate_(contract.accumulate),
        extents_(contract.batch) {
    require(!accumulate_ || c_.has_value(), "an accumulated product has a destination");
    require(contract.batch.size() + 2 <= kMaxAxes, "a kernel has at most 16 axes");
    extents_.push_back(contract.m);
    // Along the epilogue's axes, of accumulators in c and of dense ones in scratch.
    if (c_) c_strides_ = c_->strides;
    make_dnnl();
  }

  ScratchNeed scratch() const override {
    ScratchNeed need;
    if (!c_) {
      need.per_worker =
          static_cast<std::size_t>(plan_.items_per_chunk * plan_.row_block * plan_.col_block) *
          sizeof(F);
    }
    if (plan_.k_parts > 1) {
      need.shared = static_cast<std::size_t>(plan_.k_parts * plan_.rows * plan_.n) * sizeof(F);
    }
    return need;
  }

  void run(const RunContext& context) const override {
    if (plan_.k_parts > 1) {
      run_split(context);
      return;
    }
    context.pool->parallel_for(
        plan_.chunks(), [&](int64_t chunk, int worker) { run_chunk(context, chunk, worker); });
  }

 private:
  Block block_of(int64_t chunk) const {
    Block block;
    block.col = chunk % plan_.col_blocks() * plan_.col_block;
    block.row = chunk / plan_.col_blocks() % plan_.row_blocks() * plan_.row_block;
    block.rows = std::min(plan_.row_block, plan_.rows - block.row);
    block.cols = std::min(plan_.col_block, plan_.n - block.col);
    block.depth = plan_.k;
    return block;
  }

  void run_chunk(const RunContext& context, int64_t chunk, int worker) const {
    const Block block = block_of(chunk);
    const int64_t first = chunk / (plan_.col_blocks() * plan_.row_blocks()) * plan_.items_per_chunk;
    const int64_t last = std::min(first + plan_.items_per_chunk, plan_.item_count);
    F* const dense = c_ ? nullptr : context.worker_as<F>(worker);
    const int64_t inner = plan_.items.empty() ? 1 : plan_.items.back().extent;
    for (int64_t item = first; item < last;) {
      const int64_t count = std::min(inner - item % inner, last - item);
      const std::array<int64_t, 3> offsets = plan_.offsets(item);
      GemmBatch batch{.count = count};
      if (!plan_.items.empty()) {
        batch.a = plan_.items.back().strides[0];
        batch.b = plan_.items.back().strides[1];
        batch.c = plan_.items.back().strides[2];
      }
      Destination<F> to{nullptr, plan_.c_row, plan_.c_col};
      if (c_) {
        to.first = element<F>(context, c_->buffer, c_->offset) + offsets[2] +
                   block.row * plan_.c_row + block.col * plan_.c_col;
      } else {
        batch.c = block.rows * block.cols;
        to = {dense + (item - first) * batch.c, block.cols, 1};
      }
      multiply(context, block, offsets, batch, to, accumulate_);
      item += count;
    }
    finish(context, block, first * plan_.rows + block.row,
           (last - 1) * plan_.rows + block.row + block.rows, dense);
  }

  void multiply(const RunContext& context, const Block& block,
                const std::array<int64_t, 3>& offsets, const GemmBatch& batch,
                const Destination<F>& to, bool accumulate) const {
    GemmArgs<F> args = shape(block.rows, block.cols, block.depth, to.row, to.col, accumulate);
    args.a = element<const F>(context, a_.buffer, a_.offset) + offsets[0] +
             block.row * plan_.a_row + block.k * plan_.a_col;
    args.b = element<const F>(context, b_.buffer, b_.offset) + offsets[1] + block.k * plan_.b_row +
             block.col * plan_.b_col;
    args.c = to.first;
    if constexpr (std::is_same_v<F, float>) {
      const auto& primitive = dnnl_[dnnl_slot(block.rows, block.cols)];
      if (primitive && block.depth == plan_.k) {
        for (int64_t i = 0; i < batch.count; ++i) {
          primitive->run(args.a + i * batch.a, args.b + i * batch.b, args.c + i * batch.c);
        }
        return;
      }
    }
    gemm_batched(args, batch);
  }

  // The epilogue on the flat rows [first, last) and the block's columns.
  void finish(const RunContext& context, const Block& block, int64_t first, int64_t last,
              const F* dense) const {
    if (!epilogue_) return;
    const std::size_t rank = extents_.size();
    Point strides{};
    if (dense != nullptr) {
      strides[rank] = 1;
      int64_t size = block.cols;
      for (std::size_t axis = rank; axis-- > 0; size *= extents_[axis]) strides[axis] = size;
    } else {
      std::copy(c_strides_.begin(), c_strides_.end(), strides.begin());
    }
    for_each_box(extents_, first, last, [&](Point& begin, Point& end, int64_t position) {
      begin[rank] = block.col;
      end[rank] = block.col + block.cols;
      const F* from = nullptr;
      if (dense != nullptr) {
        from = dense + (position - first) * block.cols;
      } else {
        from = element<const F>(context, c_->buffer, c_->offset);
        for (std::size_t axis = 0; axis <= rank; ++axis) from += begin[axis] * strides[axis];
      }
      epilogue_.run(context, {begin.data(), rank + 1}, {end.data(), rank + 1},
                    {from, {strides.data(), rank + 1}});
    });
  }

  // Partial products over fixed ranges of k, then their sum in order.
  void run_split(const RunContext& context) const {
    const int64_t blocks = plan_.chunks();
    const int64_t depth = ceil_div(plan_.k, plan_.k_parts);
    F* const parts = context.shared_as<F>();
    const int64_t size = plan_.rows * plan_.n;
    context.pool->parallel_for(blocks * plan_.k_parts, [&](int64_t chunk, int) {
      Block block = block_of(chunk % blocks);
      const int64_t part = chunk / blocks;
      block.k = part * depth;
      block.depth = std::min(depth, plan_.k - block.k);
      multiply(context, block, {}, GemmBatch{},
               {parts + part * size + block.row * plan_.n + block.col, plan_.n, 1}, false);
    });
    context.pool->parallel_for(blocks, [&](int64_t chunk, int worker) {
      const Block block = block_of(chunk);
      F* const dense = c_ ? nullptr : context.worker_as<F>(worker);
      Destination<F> to{dense, block.cols, 1};
      if (c_) {
        to = {element<F>(context, c_->buffer, c_->offset) + block.row * plan_.c_row +
                  block.col * plan_.c_col,
              plan_.c_row, plan_.c_col};
      }
      for (int64_t i = 0; i < block.rows; ++i) {
        for (int64_t j = 0; j < block.cols; ++j) {
          F* const target = to.first + i * to.row + j * to.col;
          const F* const from = parts + (block.row + i) * plan_.n + block.col + j;
          F sum = accumulate_ ? *target : F{0};
          for (int64_t part = 0; part < plan_.k_parts; ++part) sum += from[part * size];
          *target = sum;
        }
      }
      finish(context, block, block.row, block.row + block.rows, dense);
    });
  }

  GemmArgs<F> shape(int64_t rows, int64_t cols, int64_t depth, int64_t c_row, int64_t c_col,
                    bool accumulate) const {
    GemmArgs<F> args;
    args.m = rows;
    args.n = cols;
    args.k = depth;
    args.a_row = plan_.a_row;
    args.a_col = plan_.a_col;
    args.b_row = plan_.b_row;
    args.b_col = plan_.b_col;
    args.c_row = c_row;
    args.c_col = c_col;
    args.accumulate = accumulate;
    return args;
  }

  // Blocks at the end of rows or columns may be smaller: four sizes at most.
  std::size_t dnnl_slot(int64_t rows, int64_t cols) const {
    return (rows != plan_.row_block ? 2u : 0u) + (cols != plan_.col_block ? 1u : 0u);
  }

  void make_dnnl() {
    if constexpr (std::is_same_v<F, float>) {
      if (plan_.k_parts > 1) return;
      for (int64_t row = 0; row < plan_.row_blocks();
           row += std::max<int64_t>(plan_.row_blocks() - 1, 1)) {
        for (int64_t col = 0; col < plan_.col_blocks();
             col += std::max<int64_t>(plan_.col_blocks() - 1, 1)) {
          const Block block = block_of(row * plan_.col_blocks() + col);
          auto& primitive = dnnl_[dnnl_slot(block.rows, block.cols)];
          if (primitive) continue;
          primitive = c_ ? shared_dnnl_matmul(shape(block.rows, block.cols, plan_.k, plan_.c_row,
                                                    plan_.c_col, accumulate_))
                         : shared_dnnl_matmul(
                               shape(block.rows, block.cols, plan_.k, block.cols, 1, accumulate_));
        }
      }
    }
  }

  MatmulPlan plan_;
  Epilogue epilogue_;
  kernel::Access a_, b_;
  std::optional<kernel::Access> c_;
  bool accumulate_;
  std::vector<int64_t> extents_;  // of the flat rows: [batch…, m]
  std::vector<int64_t> c_strides_;
  std::array<std::shared_ptr<const DnnlMatmul>, 4> dnnl_;
};

}  // namespace

template <class F>
std::unique_ptr<Runner> make_matmul(const kernel::Contract& contract) {
  return std::make_unique<Matmul<F>>(contract);
}

template std::unique_ptr<Runner> make_matmul<float>(const kernel::Contract&);
template std::unique_ptr<Runner> make_matmul<double>(const kernel::Contract&);

}  // namespace tensorgrad::cpu

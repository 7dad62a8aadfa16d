// Folding is decided here, chunk sizes by choose.h, except for k: a long sum with few results is
// the one case where chunks of rows and columns do not suffice.
#include "tensorgrad/backend/cpu/matmul_plan.h"

#include <algorithm>

#include "tensorgrad/backend/cpu/choose.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kSplitK = 4096;  // from here on k may be split
constexpr int64_t kKPart = 1024;
constexpr int64_t kEnoughChunks = 4;
constexpr int64_t kMaxKParts = 8;

void fold(const kernel::Contract& contract, MatmulPlan& plan) {
  const std::size_t rank = contract.batch.size();
  const auto& a = contract.a.strides;
  const auto& b = contract.b.strides;
  require(a.size() == rank + 2 && b.size() == rank + 2,
          "a matmul's strides are [batch…, row, col]");
  std::vector<int64_t> c(rank + 2, 1);
  if (contract.c) {
    c = contract.c->strides;
    require(c.size() == rank + 2, "a matmul's strides are [batch…, row, col]");
  } else {
    c[rank] = contract.n;
    int64_t size = contract.n * contract.m;
    for (std::size_t axis = rank; axis-- > 0; size *= contract.batch[axis]) c[axis] = size;
  }
  plan.rows = contract.m;
  plan.n = contract.n;
  plan.k = contract.k;
  plan.a_row = a[rank];
  plan.a_col = a[rank + 1];
  plan.b_row = b[rank];
  plan.b_col = b[rank + 1];
  plan.c_row = c[rank];
  plan.c_col = c[rank + 1];
  bool folding = true;
  for (std::size_t axis = rank; axis-- > 0;) {
    const int64_t extent = contract.batch[axis];
    if (extent == 1) continue;
    if (folding && b[axis] == 0 && plan.rows == 1) {
      plan.a_row = a[axis];
      plan.c_row = c[axis];
      plan.rows = extent;
    } else if (folding && b[axis] == 0 && a[axis] == plan.rows * plan.a_row &&
               c[axis] == plan.rows * plan.c_row) {
      plan.rows *= extent;
    } else {
      folding = false;
      const MatmulPlan::Axis* inner = plan.items.empty() ? nullptr : &plan.items.back();
      const std::array<int64_t, 3> strides{a[axis], b[axis], c[axis]};
      bool merges = inner != nullptr;
      for (std::size_t i = 0; merges && i < 3; ++i) {
        merges = strides[i] == inner->strides[i] * inner->extent;
      }
      if (merges) {
        plan.items.back().extent *= extent;
      } else {
        plan.items.push_back({extent, strides});
      }
    }
  }
  std::reverse(plan.items.begin(), plan.items.end());
  plan.item_count = 1;
  for (const MatmulPlan::Axis& axis : plan.items) plan.item_count *= axis.extent;
}

void split(MatmulPlan& plan) {
  GemmArgs<float> whole;
  whole.m = plan.rows;
  whole.n = plan.n;
  whole.k = plan.k;
  whole.a_row = plan.a_row;
  whole.a_col = plan.a_col;
  whole.b_row = plan.b_row;
  whole.b_col = plan.b_col;
  whole.c_row = plan.c_row;
  whole.c_col = plan.c_col;
  const ContractChoice choice = choose_matmul(whole, plan.item_count);
  plan.items_per_chunk = choice.products;
  plan.row_block = choice.rows;
  plan.col_block = choice.cols;
  if (plan.k >= kSplitK && plan.item_count == 1 && plan.chunks() < kEnoughChunks) {
    plan.k_parts = std::min(kMaxKParts, plan.k / kKPart);
  }
}

}  // namespace

std::array<int64_t, 3> MatmulPlan::offsets(int64_t item) const {
  std::array<int64_t, 3> out{};
  for (std::size_t axis = items.size(); axis-- > 0;) {
    const int64_t at = item % items[axis].extent;
    item /= items[axis].extent;
    for (std::size_t i = 0; i < 3; ++i) out[i] += at * items[axis].strides[i];
  }
  return out;
}

MatmulPlan plan_matmul(const kernel::Contract& contract) {
  MatmulPlan plan;
  fold(contract, plan);
  split(plan);
  return plan;
}

}  // namespace tensorgrad::cpu

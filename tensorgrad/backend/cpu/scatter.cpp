// Two ways. Usually a chunk owns lanes (or whole independent scatters) and walks all indices. With
// one or few lanes and many terms, the terms are first sorted, stably, by the range of rows that
// owns them, and each chunk walks its own terms only.
#include "tensorgrad/backend/cpu/scatter.h"

#include "tensorgrad/backend/cpu/scatter_plan.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kRanges = 16;  // of rows, and blocks of terms, when sorting

template <class F>
class ScatterRunner final : public Runner {
 public:
  explicit ScatterRunner(const kernel::Scatter& scatter)
      : plan_(plan_scatter(scatter)),
        source_(scatter.source),
        destination_(scatter.destination),
        index_(scatter.index),
        base_(scatter.base),
        in_place_(scatter.base && scatter.base->buffer == scatter.destination.buffer &&
                  scatter.base->offset == scatter.destination.offset &&
                  scatter.base->strides == scatter.destination.strides) {}

  ScratchNeed scratch() const override {
    ScratchNeed need;
    if (plan_.buckets) {
      need.shared = kCountBytes + static_cast<std::size_t>(plan_.terms) * sizeof(std::int32_t);
    }
    return need;
  }

  void run(const RunContext& context) const override {
    if (plan_.buckets) {
      run_buckets(context);
      return;
    }
    const int64_t lane_blocks = plan_.lane_blocks();
    context.pool->parallel_for(plan_.own_blocks() * lane_blocks, [&](int64_t chunk, int) {
      const int64_t first = chunk / lane_blocks * plan_.own_block;
      const int64_t last = std::min(first + plan_.own_block, plan_.own.count);
      const int64_t lane = chunk % lane_blocks * plan_.lane_block;
      const int64_t lane_end = std::min(lane + plan_.lane_block, plan_.lanes.count);
      for (int64_t own = first; own < last; ++own) {
        const Pointers at = pointers(context, plan_.own.offsets(own));
        for_each_run(lane, lane_end, [&](const ScatterOffsets& offsets, int64_t count) {
          begin_rows(at, offsets, count, 0, plan_.rows);
          for (int64_t term = 0; term < plan_.terms; ++term) {
            const int64_t row = at.index[term * plan_.term.index];
            if (row < 0 || row >= plan_.rows) {
              context.status->bad_index(row, plan_.rows);
              continue;
            }
            add(at, offsets, count, term, row);
          }
        });
      }
    });
  }

 private:
  struct Pointers {
    const F* source;
    F* destination;
    const F* base;
    const std::int32_t* index;
  };
  static constexpr std::size_t kCountBytes = (kRanges * kRanges + kRanges) * sizeof(int64_t);

  Pointers pointers(const RunContext& context, const ScatterOffsets& at) const {
    return {element<const F>(context, source_.buffer, source_.offset) + at.source,
            element<F>(context, destination_.buffer, destination_.offset) + at.destination,
            base_ ? element<const F>(context, base_->buffer, base_->offset) + at.base : nullptr,
            element<const std::int32_t>(context, index_.buffer, index_.offset) + at.index};
  }

  // Calls body(offsets, count) for runs of lanes along the innermost lane axis.
  template <class Body>
  void for_each_run(int64_t lane, int64_t end, Body&& body) const {
    const int64_t inner = plan_.lanes.axes.empty() ? 1 : plan_.lanes.axes.back().extent;
    while (lane < end) {
      const int64_t count = std::min(inner - lane % inner, end - lane);
      body(plan_.lanes.offsets(lane), count);
      lane += count;
    }
  }

  ScatterOffsets lane_strides() const {
    return plan_.lanes.axes.empty() ? ScatterOffsets{} : plan_.lanes.axes.back().strides;
  }

  // destination = base (or 0) on some rows and a run of lanes.
  void begin_rows(const Pointers& at, const ScatterOffsets& offsets, int64_t count, int64_t first,
                  int64_t last) const {
    if (in_place_) return;
    const ScatterOffsets lane = lane_strides();
    for (int64_t row = first; row < last; ++row) {
      F* const to = at.destination + offsets.destination + row * plan_.term.destination;
      if (at.base == nullptr) {
        for (int64_t i = 0; i < count; ++i) to[i * lane.destination] = F{0};
      } else {
        const F* const from = at.base + offsets.base + row * plan_.term.base;
        for (int64_t i = 0; i < count; ++i) to[i * lane.destination] = from[i * lane.base];
      }
    }
  }

  void add(const Pointers& at, const ScatterOffsets& offsets, int64_t count, int64_t term,
           int64_t row) const {
    const F* __restrict const from = at.source + offsets.source + term * plan_.term.source;
    F* __restrict const to = at.destination + offsets.destination + row * plan_.term.destination;
    const ScatterOffsets lane = lane_strides();
    if (lane.source == 1 && lane.destination == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] += from[i];
    } else {
      for (int64_t i = 0; i < count; ++i) to[i * lane.destination] += from[i * lane.source];
    }
  }

  // Terms [block * size, …) of one of kRanges blocks.
  template <class Body>
  void for_each_term(const Pointers& at, int64_t block, Body&& body) const {
    const int64_t size = ceil_div(plan_.terms, kRanges);
    const int64_t end = std::min(plan_.terms, (block + 1) * size);
    for (int64_t term = block * size; term < end; ++term) {
      body(term, int64_t{at.index[term * plan_.term.index]});
    }
  }

  void run_buckets(const RunContext& context) const {
    const Pointers at = pointers(context, {});
    // counts[block][range], then where the block's terms of the range begin; ends[range] after it.
    auto* const counts = context.shared_as<int64_t>();
    int64_t* const ends = counts + kRanges * kRanges;
    auto* const sorted = context.shared_as<std::int32_t>(kCountBytes);
    const int64_t range_rows = ceil_div(plan_.rows, kRanges);
    context.pool->parallel_for(kRanges, [&](int64_t block, int) {
      std::array<int64_t, kRanges> count{};
      for_each_term(at, block, [&](int64_t, int64_t row) {
        if (row < 0 || row >= plan_.rows) {
          context.status->bad_index(row, plan_.rows);
        } else {
          ++count[static_cast<std::size_t>(row / range_rows)];
        }
      });
      std::copy(count.begin(), count.end(), counts + block * kRanges);
    });
    int64_t total = 0;
    for (int64_t range = 0; range < kRanges; ++range) {
      for (int64_t block = 0; block < kRanges; ++block) {
        const int64_t count = counts[block * kRanges + range];
        counts[block * kRanges + range] = total;
        total += count;
      }
      ends[range] = total;
    }
    context.pool->parallel_for(kRanges, [&](int64_t block, int) {
      std::array<int64_t, kRanges> next{};
      std::copy_n(counts + block * kRanges, kRanges, next.begin());
      for_each_term(at, block, [&](int64_t term, int64_t row) {
        if (row < 0 || row >= plan_.rows) return;
        sorted[next[static_cast<std::size_t>(row / range_rows)]++] =
            static_cast<std::int32_t>(term);
      });
    });
    context.pool->parallel_for(kRanges, [&](int64_t range, int) {
      const int64_t first = range * range_rows;
      const int64_t last = std::min(plan_.rows, first + range_rows);
      for_each_run(0, plan_.lanes.count, [&](const ScatterOffsets& offsets, int64_t count) {
        begin_rows(at, offsets, count, first, last);
        for (int64_t i = range == 0 ? 0 : ends[range - 1]; i < ends[range]; ++i) {
          const int64_t term = sorted[i];
          add(at, offsets, count, term, at.index[term * plan_.term.index]);
        }
      });
    });
  }

  ScatterPlan plan_;
  kernel::Access source_, destination_, index_;
  std::optional<kernel::Access> base_;
  bool in_place_;
};

}  // namespace

std::unique_ptr<Runner> make_scatter(const kernel::Scatter& scatter, backend::Precision precision) {
  if (scatter.dtype != DType::f32) return std::make_unique<ScatterRunner<std::int32_t>>(scatter);
  if (precision == backend::Precision::f64) return std::make_unique<ScatterRunner<double>>(scatter);
  return std::make_unique<ScatterRunner<float>>(scatter);
}

}  // namespace tensorgrad::cpu

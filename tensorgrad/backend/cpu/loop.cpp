// How a loop is cut into chunks. Chunks are ranges of tiles of kept points; where there are few of
// those and long reductions, each tile's reduced points are cut as well and the partial
// accumulators are combined in order.
#include "tensorgrad/backend/cpu/loop.h"

#include <algorithm>
#include <optional>

#include "tensorgrad/backend/cpu/loop_bind.h"
#include "tensorgrad/backend/cpu/loop_form.h"
#include "tensorgrad/backend/cpu/loop_run.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

/// Work below this many nanoseconds is not shared, and no chunk is made smaller than the second.
constexpr double kShareCost = 20e3, kChunkCost = 10e3;
constexpr std::int64_t kMaxChunks = 128, kMaxSplits = 64;
/// Tiles from which a reduction is not cut.
constexpr std::int64_t kEnoughTiles = 16;

class Runner final : public LoopRunner {
 public:
  Runner(const kernel::Loop& loop, backend::Precision precision)
      : precision_(precision), form_(make_form(loop, precision, true)) {
    const LoopDomain domain = form_.whole();
    tiles_ = form_.kept.count(domain);
    const std::int64_t segments = form_.resident ? 1 : form_.reduced.count(domain);
    double points = 1;
    for (std::int64_t extent : loop.extents) points *= static_cast<double>(extent);
    const double per_point = form_.program.cost * (precision == backend::Precision::f64 ? 6 : 1);
    cost_ = points * per_point + 100.0 * static_cast<double>(tiles_ * segments);
    const double wanted = cost_ < kShareCost ? 1 : cost_ / kChunkCost;
    const auto chunks =
        static_cast<std::int64_t>(std::min(wanted, static_cast<double>(kMaxChunks)));
    chunks_ = std::min(tiles_, chunks);
    if (form_.plan.reduces && !form_.program.has_scan && tiles_ < kEnoughTiles) {
      splits_ = std::min({segments, (chunks + tiles_ - 1) / tiles_, kMaxSplits});
    }
    for (const kernel::Access& access : loop.accesses) {
      needs_box_ |= access.buffer == kernel::kAccumulator;
    }
    if (!form_.plan.reduces) box_.emplace(make_form(loop, precision, false));
  }

  double estimated_cost() const override { return cost_; }

  void run(ThreadPool& pool, const LoopContext& context) const override {
    require(!needs_box_, "a loop that reads an accumulator runs in boxes");
    thread_local std::vector<BoundAccess> addresses;
    std::vector<BoundAccess>& bound = addresses;  // the caller's, whichever thread runs a chunk
    const LoopDomain domain = form_.whole();
    bind(form_, domain, context, {}, bound);
    const LoopRun run{form_, context, domain, bound, precision_};
    if (splits_ > 1) {
      run_split(run, pool, splits_);
    } else if (chunks_ <= 1) {
      run_tiles(run, 0, tiles_);
    } else {
      pool.parallel_for(chunks_, [&](std::int64_t chunk, int) {
        run_tiles(run, tiles_ * chunk / chunks_, tiles_ * (chunk + 1) / chunks_);
      });
    }
  }

  void run_box(const LoopContext& context, std::span<const std::int64_t> begin,
               std::span<const std::int64_t> end, const void* accumulator,
               std::span<const std::int64_t> accumulator_strides) const override {
    require(box_.has_value(), "only maps run in boxes");
    thread_local std::vector<BoundAccess> bound;
    LoopDomain domain = box_->whole();
    std::copy(begin.begin(), begin.end(), domain.begin.begin());
    std::copy(end.begin(), end.end(), domain.end.begin());
    AccumulatorBlock block;
    block.first = accumulator;
    std::copy(accumulator_strides.begin(), accumulator_strides.end(), block.strides.begin());
    bind(*box_, domain, context, block, bound);
    run_tiles({*box_, context, domain, bound, precision_}, 0, box_->kept.count(domain));
  }

 private:
  const backend::Precision precision_;
  LoopForm form_;
  std::optional<LoopForm> box_;  // the same map on the axes as they were given
  std::int64_t tiles_ = 1, chunks_ = 1, splits_ = 1;
  double cost_ = 0;
  bool needs_box_ = false;
};

}  // namespace

std::unique_ptr<LoopRunner> LoopRunner::make(const kernel::Loop& loop,
                                             backend::Precision precision) {
  return std::make_unique<Runner>(loop, precision);
}

}  // namespace tensorgrad::cpu

// The two ways through a loop. Memory is the calling thread's and grows only, so that a run in the
// steady state allocates nothing.
#include "tensorgrad/backend/cpu/loop_run.h"

#include <algorithm>

namespace tensorgrad::cpu {
namespace {

/// Grow-only memory at a multiple of 64.
class ThreadBlock {
 public:
  std::byte* reserve(std::int64_t bytes) {
    const std::size_t wanted = static_cast<std::size_t>(bytes) + 64;
    if (memory_.size() < wanted) memory_.resize(wanted);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }

 private:
  std::vector<std::byte> memory_;
};

struct ThreadState {
  ThreadBlock tile;    // of the interpreter that runs on this thread
  ThreadBlock shared;  // of the split run that this thread began
  std::vector<Operand> operands;
};

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

TileInterpreter interpreter(const LoopRun& run) {
  ThreadState& state = thread_state();
  const LoopForm& form = run.form;
  const std::size_t registers = form.program.shapes.size();
  if (state.operands.size() < registers) state.operands.resize(registers);
  std::fill_n(state.operands.begin(), registers, Operand{});
  return TileInterpreter(form.plan, form.program, form.layout, run.bound, run.context,
                         run.precision, state.tile.reserve(form.layout.total_bytes),
                         state.operands.data());
}

/// Segments [first, last) of one pass.
void run_segments(const LoopRun& run, TileInterpreter& tile, TilePlace place, const LoopPass& pass,
                  std::int64_t first, std::int64_t last) {
  run.form.locate(run.form.reduced, run.domain, first, place);
  for (std::int64_t segment = first; segment < last; ++segment) {
    if (segment > first) run.form.advance(run.form.reduced, run.domain, place);
    tile.set_tile(place.point, place.rows, place.columns);
    tile.run(pass.steps);
  }
}

/// The tile with its reduced axes at their first point: for values of kept points.
TilePlace locate_kept(const LoopRun& run, TileInterpreter& tile, std::int64_t number) {
  TilePlace place;
  place.point = run.domain.begin;
  run.form.locate(run.form.kept, run.domain, number, place);
  tile.set_tile(place.point, place.rows, place.columns);
  return place;
}

/// One tile of kept points of a loop that reduces, pass after pass.
void run_passes(const LoopRun& run, TileInterpreter& tile, const TilePlace& place,
                std::int64_t segments) {
  tile.run(run.form.program.before);
  for (const LoopPass& pass : run.form.program.passes) {
    for (const LoopStep& step : pass.reductions) tile.init(step);
    run_segments(run, tile, place, pass, 0, segments);
    tile.set_tile(place.point, place.rows, place.columns);
    for (const LoopStep& step : pass.reductions) tile.finish(step);
    tile.run(pass.after);
  }
}

}  // namespace

void run_tiles(const LoopRun& run, std::int64_t first, std::int64_t last) {
  const LoopForm& form = run.form;
  const LoopProgram& program = form.program;
  TileInterpreter tile = interpreter(run);
  const std::int64_t segments = form.plan.reduces ? form.reduced.count(run.domain) : 1;
  if (first >= last) return;
  TilePlace place = locate_kept(run, tile, first);
  if (form.resident) form.locate(form.reduced, run.domain, 0, place);
  for (std::int64_t number = first; number < last; ++number) {
    if (number > first) form.advance(form.kept, run.domain, place);
    tile.set_tile(place.point, place.rows, place.columns);
    if (form.resident) {
      tile.run(program.resident, true);
    } else if (form.plan.reduces) {
      run_passes(run, tile, place, segments);
    } else {
      tile.run(program.passes.front().steps);
    }
  }
  finish_streams();
}

void run_split(const LoopRun& run, ThreadPool& pool, std::int64_t splits) {
  const LoopForm& form = run.form;
  const LoopProgram& program = form.program;
  const std::int64_t tiles = form.kept.count(run.domain);
  const std::int64_t segments = form.reduced.count(run.domain);
  // Per tile: the values of its kept points, then the accumulators of every part.
  const std::int64_t kept_bytes =
      form.layout.kept_bytes * static_cast<std::int64_t>(program.kept.size());
  const std::int64_t cells_bytes = form.layout.cells_bytes * program.reductions;
  const std::int64_t tile_bytes = (kept_bytes + cells_bytes * splits + 63) / 64 * 64;
  std::byte* const shared = thread_state().shared.reserve(tile_bytes * tiles);
  const auto cells = [&](std::int64_t number, std::int64_t part) {
    return shared + tile_bytes * number + kept_bytes + cells_bytes * part;
  };

  for (std::int64_t number = 0; number < tiles; ++number) {
    TileInterpreter tile = interpreter(run);
    locate_kept(run, tile, number);
    tile.run(program.before);
    tile.save_kept(shared + tile_bytes * number);
  }
  for (const LoopPass& pass : program.passes) {
    pool.parallel_for(tiles * splits, [&](std::int64_t chunk, int) {
      const std::int64_t number = chunk / splits, part = chunk % splits;
      TileInterpreter tile = interpreter(run);
      const TilePlace place = locate_kept(run, tile, number);
      tile.restore_kept(shared + tile_bytes * number);
      tile.move_cells(cells(number, part));
      for (const LoopStep& step : pass.reductions) tile.init(step);
      run_segments(run, tile, place, pass, segments * part / splits,
                   segments * (part + 1) / splits);
      finish_streams();
    });
    for (std::int64_t number = 0; number < tiles; ++number) {
      TileInterpreter tile = interpreter(run);
      locate_kept(run, tile, number);
      tile.restore_kept(shared + tile_bytes * number);
      tile.move_cells(cells(number, 0));
      for (const LoopStep& step : pass.reductions) {
        for (std::int64_t part = 1; part < splits; ++part) tile.combine(step, cells(number, part));
        tile.finish(step);
      }
      tile.run(pass.after);
      tile.save_kept(shared + tile_bytes * number);
    }
  }
}

}  // namespace tensorgrad::cpu

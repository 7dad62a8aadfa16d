// Runs one kernel over plain vectors, for the tests of the kernel forms.
#pragma once

#include <cstring>
#include <random>
#include <variant>
#include <vector>

#include "tensorgrad/backend/cpu/cpu_memory.h"
#include "tensorgrad/backend/cpu/runner.h"

namespace tensorgrad::cpu {

template <class F>
constexpr backend::Precision kPrecision = sizeof(F) == sizeof(double) ? backend::Precision::f64
                                                                      : backend::Precision::f32;

/// Buffers of a kernel under test: numbers or indices.
template <class F>
using TestBuffers = std::vector<std::variant<std::vector<F>, std::vector<std::int32_t>>>;

/// Runs `runner` over `buffers` with a pool of that many threads.
template <class F>
backend::RunStatus run_kernel(const Runner& runner, TestBuffers<F>& buffers, int threads) {
  const auto pool = ThreadPool::shared(threads);
  std::vector<void*> addresses;
  for (auto& buffer : buffers) {
    addresses.push_back(std::visit([](auto& values) -> void* { return values.data(); }, buffer));
  }
  const ScratchNeed need = runner.scratch();
  const std::size_t shared = aligned_bytes(need.shared), worker = aligned_bytes(need.per_worker);
  const std::size_t bytes = shared + worker * static_cast<std::size_t>(pool->threads());
  CpuMemory scratch(static_cast<std::int64_t>(bytes / 4), backend::Precision::f32, "test");
  // What was left from another kernel must not matter.
  std::memset(scratch.address(0), 0xff, bytes);
  RunStatusSink sink;
  sink.reset();
  sink.begin_kernel(0);
  RunContext context;
  context.pool = pool.get();
  context.buffers = addresses;
  context.status = &sink;
  context.shared = static_cast<std::byte*>(scratch.address(0));
  context.workers = context.shared + shared;
  context.worker_stride = worker;
  runner.run(context);
  return sink.status();
}

/// Small integers: sums of their products are exact in float whatever the order.
template <class F>
std::vector<F> small_integers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<F> out(static_cast<std::size_t>(count));
  for (F& value : out) value = static_cast<F>(static_cast<int>(random() % 7) - 3);
  return out;
}

template <class F>
std::vector<F> real_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> range(-1, 1);
  std::vector<F> out(static_cast<std::size_t>(count));
  for (F& value : out) value = static_cast<F>(range(random));
  return out;
}

template <class F>
bool same_bits(const std::vector<F>& a, const std::vector<F>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(F)) == 0;
}

inline kernel::Access access_of(int buffer, std::vector<std::int64_t> strides,
                                std::int64_t offset = 0) {
  kernel::Access access;
  access.buffer = buffer;
  access.offset = offset;
  access.strides = std::move(strides);
  return access;
}

/// Dense strides of `extents` with the axes in memory order `order`, outermost first.
inline std::vector<std::int64_t> strides_in_order(const std::vector<std::int64_t>& extents,
                                                  const std::vector<int>& order) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t size = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    strides[axis] = size;
    size *= extents[axis];
  }
  return strides;
}

/// relu(accumulator + bias) stored to another buffer; bias varies along `bias_axis`.
inline kernel::Loop bias_relu(std::vector<std::int64_t> extents, std::size_t bias_axis,
                              int bias_buffer, int to_buffer, std::vector<std::int64_t> to) {
  using kernel::TapeOp;
  kernel::Loop loop;
  loop.reduced.resize(extents.size(), false);
  std::vector<std::int64_t> bias(extents.size(), 0);
  bias[bias_axis] = 1;
  loop.accesses = {access_of(kernel::kAccumulator, std::vector<std::int64_t>(extents.size(), 0)),
                   access_of(bias_buffer, bias), access_of(to_buffer, std::move(to))};
  loop.extents = std::move(extents);
  loop.tape.resize(5);
  loop.tape[0].op = TapeOp::load;
  loop.tape[0].access = 0;
  loop.tape[1].op = TapeOp::load;
  loop.tape[1].access = 1;
  loop.tape[2].op = TapeOp::scalar;
  loop.tape[2].fn = ir::Opcode::add;
  loop.tape[2].args = {0, 1, -1};
  loop.tape[3].op = TapeOp::scalar;
  loop.tape[3].fn = ir::Opcode::relu;
  loop.tape[3].args = {2, -1, -1};
  loop.tape[4].op = TapeOp::store;
  loop.tape[4].args = {3, -1, -1};
  loop.tape[4].access = 2;
  return loop;
}

}  // namespace tensorgrad::cpu

// Throughput of the CPU loop executor beside the memory it runs on: elementwise chains, softmax and
// reductions in GB/s, next to a stream triad on the same threads; and the fixed cost of small
// loops.
//   loop_bench [threads [part of a name]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "tensorgrad/backend/cpu/loop.h"

namespace {

using tensorgrad::ThreadPool;
using tensorgrad::cpu::LoopRunner;
using namespace tensorgrad::kernel;
using tensorgrad::ir::Opcode;

/// Buffers begin at a multiple of 64, as the device's do.
template <class T>
struct Aligned {
  using value_type = T;
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  bool operator==(const Aligned&) const = default;
};
using Floats = std::vector<float, Aligned<float>>;

/// Builds tapes over contiguous or broadcast row-major buffers.
struct Builder {
  Loop loop;
  int buffers = 0;

  Builder(std::vector<std::int64_t> extents, std::vector<bool> reduced) {
    loop.extents = std::move(extents);
    loop.reduced = std::move(reduced);
  }
  int push(Instr instr) {
    loop.tape.push_back(instr);
    return static_cast<int>(loop.tape.size()) - 1;
  }
  int access(std::vector<std::int64_t> strides) {
    Access access;
    access.buffer = buffers++;
    access.strides = std::move(strides);
    loop.accesses.push_back(std::move(access));
    return static_cast<int>(loop.accesses.size()) - 1;
  }
  int load(std::vector<std::int64_t> strides) {
    Instr instr;
    instr.op = TapeOp::load;
    instr.access = access(std::move(strides));
    return push(instr);
  }
  int scalar(Opcode fn, int a, int b = -1) {
    Instr instr;
    instr.op = TapeOp::scalar;
    instr.fn = fn;
    instr.args = {a, b, -1};
    return push(instr);
  }
  int reduce(Opcode fn, int a) {
    Instr instr;
    instr.op = TapeOp::reduce;
    instr.fn = fn;
    instr.row = true;
    instr.args[0] = a;
    return push(instr);
  }
  int random(std::vector<std::int64_t> strides) {
    Instr instr;
    instr.op = TapeOp::random;
    instr.access = access(std::move(strides));
    --buffers;
    loop.accesses.back().buffer = kNoBuffer;
    return push(instr);
  }
  void store(int value, std::vector<std::int64_t> strides, bool row = false) {
    Instr instr;
    instr.op = TapeOp::store;
    instr.row = row;
    instr.args[0] = value;
    instr.access = access(std::move(strides));
    push(instr);
  }
};

std::string only;

/// Best of many runs: elapsed, and processor time of all threads (what counts on a busy machine).
struct Seconds {
  double wall = 1e9, processor = 1e9;
};

Seconds best_seconds(const auto& body) {
  Seconds best;
  double total = 0;
  for (int i = 0; i < 2000 && (i < 5 || total < 0.7); ++i) {
    const std::clock_t used = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
    best.wall = std::min(best.wall, time.count());
    best.processor = std::min(best.processor, processor);
    total += time.count();
  }
  return best;
}

/// Bytes are those that must move: every operand once, every result once.
void measure(const std::string& name, ThreadPool& pool, Builder& builder, double bytes) {
  if (name.find(only) == std::string::npos) return;
  std::vector<Floats> memory;
  std::vector<void*> pointers;
  std::vector<std::int64_t> numel(static_cast<std::size_t>(builder.buffers), 1);
  for (const Access& access : builder.loop.accesses) {
    if (access.buffer < 0) continue;
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < access.strides.size(); ++axis) {
      last += access.strides[axis] * (builder.loop.extents[axis] - 1);
    }
    numel[static_cast<std::size_t>(access.buffer)] = last + 1;
  }
  for (std::int64_t n : numel) {
    Floats& values = memory.emplace_back(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i % 37) * 0.1f - 1.8f;
    pointers.push_back(values.data());
  }
  const auto runner = LoopRunner::make(builder.loop, tensorgrad::backend::Precision::f32);
  const Seconds seconds = best_seconds([&] { runner->run(pool, {pointers, 1, 2, nullptr}); });
  std::printf("%-34s %10.2f us %8.2f GB/s  processor %8.0f us (estimate %.1f us)\n", name.c_str(),
              seconds.wall * 1e6, bytes / seconds.wall * 1e-9, seconds.processor * 1e6,
              runner->estimated_cost() * 1e-3);
}

void triad(ThreadPool& pool) {
  const std::int64_t n = 1 << 24;
  Floats a(n, 1), b(n, 2), c(n, 3);
  const int chunks = pool.threads();
  const Seconds seconds = best_seconds([&] {
    pool.parallel_for(chunks, [&](std::int64_t chunk, int) {
      for (std::int64_t i = n * chunk / chunks; i < n * (chunk + 1) / chunks; ++i) {
        a[static_cast<std::size_t>(i)] =
            b[static_cast<std::size_t>(i)] + 0.5f * c[static_cast<std::size_t>(i)];
      }
    });
  });
  std::printf("%-34s %10.2f us %8.2f GB/s  processor %8.0f us\n", "stream triad, 16 M",
              seconds.wall * 1e6, 12.0 * n / seconds.wall * 1e-9, seconds.processor * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 0);
  if (argc > 2) only = argv[2];
  std::printf("%d threads\n", pool.threads());
  triad(pool);
  const auto chain = [&](std::int64_t n, const std::string& name, Opcode last) {
    Builder b({n}, {false});
    const int product = b.scalar(Opcode::mul, b.load({1}), b.load({1}));
    b.store(b.scalar(last, b.scalar(Opcode::add, product, b.load({1}))), {1});
    measure(name, pool, b, 16.0 * static_cast<double>(n));
  };
  chain(1 << 24, "P(a*b+c), 16 M", Opcode::normal_cdf);
  chain(1 << 24, "relu(a*b+c), 16 M", Opcode::relu);
  chain(256 * 64, "P(a*b+c), 256x64", Opcode::normal_cdf);
  chain(256 * 64, "relu(a*b+c), 256x64", Opcode::relu);
  chain(64, "relu(a*b+c), 64", Opcode::relu);
  for (Opcode op : {Opcode::exp, Opcode::tanh, Opcode::sin, Opcode::log, Opcode::gelu_tanh}) {
    Builder b({1 << 14}, {false});
    b.store(b.scalar(op, b.load({1})), {1});
    measure(std::string(name(op)) + ", 16 K", pool, b, 8.0 * (1 << 14));
  }
  {
    Builder b({256, 64}, {false, false});
    b.store(b.scalar(Opcode::relu, b.scalar(Opcode::add, b.load({64, 1}), b.load({0, 1}))),
            {64, 1});
    measure("relu(x+bias), 256x64", pool, b, 8.0 * 256 * 64);
  }
  {
    Builder b({1024, 1024}, {false, false});
    b.store(b.scalar(Opcode::relu, b.load({1, 1024})), {1024, 1});
    measure("transpose, 1024x1024", pool, b, 8.0 * 1024 * 1024);
  }
  {
    Builder b({1 << 18}, {false});
    b.store(b.random({1}), {1});
    measure("uniform, 256 K", pool, b, 4.0 * (1 << 18));
  }
  const auto softmax = [&](std::int64_t rows, std::int64_t n) {
    Builder b({rows, n}, {false, true});
    const int x = b.load({n, 1});
    const int e = b.scalar(Opcode::exp, b.scalar(Opcode::sub, x, b.reduce(Opcode::max, x)));
    b.store(b.scalar(Opcode::div, e, b.reduce(Opcode::sum, e)), {n, 1});
    measure("softmax [" + std::to_string(rows) + "," + std::to_string(n) + "]", pool, b,
            8.0 * static_cast<double>(rows * n));
  };
  softmax(4096, 1024);
  softmax(1024, 10);
  softmax(1024, 65);
  softmax(256, 32768);
  softmax(1, 1 << 20);
  const auto sum = [&](std::int64_t rows, std::int64_t n, bool down) {
    Builder b({rows, n}, {down, !down});
    b.store(b.reduce(Opcode::sum, b.load({n, 1})),
            down ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{1, 0}, true);
    measure(
        "sum [" + std::to_string(rows) + "," + std::to_string(n) + "] axis " + (down ? "0" : "1"),
        pool, b, 4.0 * static_cast<double>(rows * n));
  };
  sum(1, 1 << 24, false);
  sum(1024, 128, true);
  sum(1024, 128, false);
  sum(1024, 10, false);
  sum(65536, 128, true);
  sum(4096, 4096, true);
}

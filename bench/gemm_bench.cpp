// Compares the library's matrix product with oneDNN's, and layouts and chunkings of convolutions,
// at the sizes of the workloads: the figures behind backend/cpu/choose.h. Variants of one row run
// interleaved and the minimum of many samples counts, so ratios hold on a busy machine.
// Usage: gemm_bench [matmul|batch|conv|pool]…
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tensorgrad/backend/cpu/dnnl_conv.h"
#include "tensorgrad/backend/cpu/dnnl_matmul.h"
#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/base/parallel.h"

namespace {

using namespace tensorgrad;
using namespace tensorgrad::cpu;
using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& run, int iterations) {
  const auto begin = Clock::now();
  for (int i = 0; i < iterations; ++i) run();
  return std::chrono::duration<double>(Clock::now() - begin).count() / iterations;
}

// Microseconds per call of each variant.
std::vector<double> measure(const std::vector<std::function<void()>>& variants) {
  std::vector<int> iterations;
  for (const auto& run : variants) {
    seconds(run, 2);
    iterations.push_back(std::max(1, static_cast<int>(0.001 / seconds(run, 3))));
  }
  std::vector<double> best(variants.size(), 1e9);
  for (int sample = 0; sample < 20; ++sample) {
    for (size_t i = 0; i < variants.size(); ++i) {
      best[i] = std::min(best[i], seconds(variants[i], iterations[i]) * 1e6);
    }
  }
  return best;
}

std::vector<float> values(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
  return x;
}

// "N" means as stored, "T" transposed, as in BLAS.
void matmul_row(const char* kind, int64_t m, int64_t k, int64_t n, std::vector<int64_t> splits) {
  const bool a_t = kind[0] == 'T', b_t = kind[1] == 'T';
  const auto a = values(m * k), b = values(k * n);
  std::vector<float> c(m * n);
  GemmArgs<float> g{m,           n,        k,           a.data(),    a_t ? 1 : k,
                    a_t ? m : 1, b.data(), b_t ? 1 : n, b_t ? k : 1, c.data(),
                    n,           1,        false};
  const double flops = 2.0 * m * n * k;
  ThreadPool two(2);
  for (int64_t rows : splits) {
    // Positive: rows of c per chunk; negative: columns.
    const bool by_rows = rows > 0;
    const int64_t size = by_rows ? std::min(rows, m) : std::min(-rows, n);
    const int64_t chunks = ((by_rows ? m : n) + size - 1) / size;
    GemmArgs<float> part = g;
    (by_rows ? part.m : part.n) = size;
    const DnnlMatmul dnnl(part);
    std::vector<float> packed_scratch(dnnl.scratch_bytes() / 4 + 16);
    const auto own_chunk = [&](int64_t chunk, int) {
      GemmArgs<float> at = part;
      const int64_t offset = chunk * size;
      (by_rows ? at.m : at.n) = std::min(size, (by_rows ? m : n) - offset);
      (by_rows ? at.a : at.b) += offset * (by_rows ? g.a_row : g.b_col);
      at.c += offset * (by_rows ? g.c_row : g.c_col);
      gemm(at);
    };
    const auto dnnl_chunk = [&](int64_t chunk, int) {
      const int64_t offset = chunk * size;
      dnnl.run(g.a + (by_rows ? offset * g.a_row : 0), g.b + (by_rows ? 0 : offset * g.b_col),
               g.c + offset * (by_rows ? g.c_row : g.c_col));
    };
    const bool even = (by_rows ? m : n) % size == 0;
    const auto t = measure({[&] {
                              for (int64_t i = 0; i < chunks; ++i) own_chunk(i, 0);
                            },
                            [&] {
                              if (even)
                                for (int64_t i = 0; i < chunks; ++i) dnnl_chunk(i, 0);
                            },
                            [&] { two.parallel_for(chunks, own_chunk); },
                            [&] {
                              if (even) two.parallel_for(chunks, dnnl_chunk);
                            }});
    std::printf("%s %5ld x%5ld x%5ld  %s %4ld", kind, m, k, n, by_rows ? "rows" : "cols", size);
    for (double us : t) std::printf("  %8.2f us %6.1f", us, flops / us * 1e-3);
    std::printf("   own/dnnl time %.2f %.2f  %s\n", t[0] / t[1], t[2] / t[3],
                dnnl.implementation());
    std::fflush(stdout);
  }
}

void matmuls() {
  std::printf("matmul m x k x n: us and GFLOP/s of own 1 thread, oneDNN 1, own 2, oneDNN 2\n");
  matmul_row("NN", 256, 64, 64, {256, 128, 64, 32});
  matmul_row("NN", 1024, 64, 64, {1024, 256, 128, 64});
  matmul_row("NN", 1024, 128, 512, {1024, 256, 128, 64, -256, -128});
  matmul_row("NN", 1024, 512, 128, {1024, 256, 128, 64, -64});
  matmul_row("NT", 256, 64, 64, {256, 128, 64});
  matmul_row("NT", 1024, 64, 64, {1024, 128, 64});
  matmul_row("NT", 1024, 128, 512, {1024, 128, -256});
  matmul_row("NT", 1024, 512, 128, {1024, 128, -64});
  matmul_row("TN", 64, 256, 64, {64, 32, 16});
  matmul_row("TN", 64, 1024, 64, {64, 32, 16});
  matmul_row("TN", 512, 1024, 128, {512, 128, 64});
  matmul_row("TN", 128, 1024, 512, {128, 64, -128});
  matmul_row("NN", 64, 1568, 64, {64, 32, 16, -32});
  matmul_row("NT", 64, 1568, 64, {64, 32, 16, -32});
  matmul_row("TN", 64, 64, 1568, {64, 32, -784, -392});
  matmul_row("NT", 64, 64, 10, {64, 32});
  matmul_row("NN", 128, 784, 256, {128, 64, 32, -64});
  matmul_row("NT", 128, 784, 256, {128, 64, 32, -64});
  matmul_row("TN", 256, 128, 784, {256, 64, -196});
  matmul_row("NN", 256, 1, 64, {256, 128});
  matmul_row("NN", 256, 64, 1, {256, 128});
  matmul_row("TN", 64, 256, 1, {64, 32});
  matmul_row("TN", 1, 256, 64, {1});
  matmul_row("NN", 1024, 1024, 1024, {1024, 256, 128, 64, -256});
  matmul_row("NT", 1024, 1024, 1024, {1024, 128});
  matmul_row("TN", 1024, 1024, 1024, {1024, 128});
}

void batch_row(int64_t count, int64_t m, int64_t k, int64_t n, bool b_t) {
  const auto a = values(count * m * k), b = values(count * k * n);
  std::vector<float> c(count * m * n);
  const GemmArgs<float> g{m,           n,           k,        a.data(), k, 1,    b.data(),
                          b_t ? 1 : n, b_t ? k : 1, c.data(), n,        1, false};
  const GemmBatch batch{count, m * k, k * n, m * n};
  const DnnlMatmul whole(g, batch), single(g);
  const int64_t chunks = 16, per = count / chunks;
  const DnnlMatmul part(g, GemmBatch{per, m * k, k * n, m * n});
  ThreadPool two(2);
  const auto own_chunk = [&](int64_t chunk, int) {
    GemmArgs<float> at = g;
    at.a += chunk * per * batch.a;
    at.b += chunk * per * batch.b;
    at.c += chunk * per * batch.c;
    gemm_batched(at, GemmBatch{per, batch.a, batch.b, batch.c});
  };
  const auto dnnl_chunk = [&](int64_t chunk, int) {
    part.run(g.a + chunk * per * batch.a, g.b + chunk * per * batch.b, g.c + chunk * per * batch.c);
  };
  const auto t = measure({[&] { gemm_batched(g, batch); }, [&] { whole.run(g.a, g.b, g.c); },
                          [&] {
                            for (int64_t i = 0; i < count; ++i)
                              single.run(g.a + i * batch.a, g.b + i * batch.b, g.c + i * batch.c);
                          },
                          [&] { two.parallel_for(chunks, own_chunk); },
                          [&] { two.parallel_for(chunks, dnnl_chunk); }});
  std::printf("N%s %4ld x [%ld,%ld,%ld]", b_t ? "T" : "N", count, m, k, n);
  for (double us : t) std::printf("  %8.2f us %6.1f", us, 2e-3 * count * m * n * k / us);
  std::printf("  %s\n", whole.implementation());
}

void batches() {
  std::printf("batch: own 1, oneDNN batched 1, oneDNN one by one 1, own 2 in 16, oneDNN 2 in 16\n");
  batch_row(64, 64, 32, 64, true);
  batch_row(64, 64, 64, 32, false);
  batch_row(512, 8, 16, 8, true);
  batch_row(512, 8, 8, 16, false);
}

void conv_row(const char* name, int64_t in, int64_t out, int64_t size, ConvPass pass, bool nhwc) {
  constexpr int64_t kBatch = 64;
  ConvShape s;
  s.pass = pass;
  s.in_channels = in;
  s.out_channels = out;
  s.in_size = s.out_size = {size, size};
  s.kernel = {3, 3};
  s.padding = {1, 1};
  s.in_strides = nhwc ? nhwc_strides(in, s.in_size) : nchw_strides(in, s.in_size);
  s.out_strides = nhwc ? nhwc_strides(out, s.out_size) : nchw_strides(out, s.out_size);
  const auto x = values(kBatch * s.in_strides[0]), w = values(in * out * 9);
  const auto y = values(kBatch * s.out_strides[0]);
  const double flops = 2.0 * kBatch * size * size * in * out * 9;
  ThreadPool two(2);
  for (int64_t per : {64, 32, 16, 8, 4, 2}) {
    const int64_t chunks = kBatch / per;
    s.batch = per;
    const DnnlConv conv(s);
    const bool weights = pass == ConvPass::kBackwardWeights;
    std::vector<float> result(weights ? chunks * w.size()
                                      : kBatch * std::max(s.in_strides[0], s.out_strides[0]));
    const auto chunk = [&](int64_t i, int) {
      const float* xi = x.data() + i * per * s.in_strides[0];
      const float* yi = y.data() + i * per * s.out_strides[0];
      if (weights) return conv.run(xi, yi, result.data() + i * w.size());
      if (pass == ConvPass::kForward) {
        return conv.run(xi, w.data(), result.data() + i * per * s.out_strides[0]);
      }
      conv.run(yi, w.data(), result.data() + i * per * s.in_strides[0]);
    };
    const auto add = [&] {
      if (!weights) return;
      for (int64_t i = 1; i < chunks; ++i) {
        for (size_t j = 0; j < w.size(); ++j) result[j] += result[i * w.size() + j];
      }
    };
    const auto t = measure({[&] {
                              for (int64_t i = 0; i < chunks; ++i) chunk(i, 0);
                              add();
                            },
                            [&] {
                              two.parallel_for(chunks, chunk);
                              add();
                            }});
    std::printf("conv %2ld->%2ld %s %s  %2ld images a chunk", in, out, name, nhwc ? "NHWC" : "NCHW",
                per);
    for (double us : t) std::printf("  %8.1f us %6.1f", us, flops / us * 1e-3);
    std::printf("  %s\n", conv.implementation());
    std::fflush(stdout);
  }
}

void convs() {
  std::printf("convolutions, batch 64: us and GFLOP/s on 1 and 2 threads\n");
  for (const auto& [in, out, size] : {std::array<int64_t, 3>{1, 16, 28}, {16, 32, 14}}) {
    for (bool nhwc : {false, true}) {
      conv_row("fwd  ", in, out, size, ConvPass::kForward, nhwc);
      if (in > 1) conv_row("dgrad", in, out, size, ConvPass::kBackwardData, nhwc);
      conv_row("wgrad", in, out, size, ConvPass::kBackwardWeights, nhwc);
    }
  }
}

// A step of 15 short kernels on one thread, on two, and on two beside a foreign busy thread.
void pool() {
  const int64_t m = 256, k = 64, n = 64, rows = 64;
  const auto a = values(m * k), b = values(k * n);
  std::vector<float> c(m * n);
  const auto step = [&](ThreadPool& threads) {
    for (int kernel = 0; kernel < 15; ++kernel) {
      threads.parallel_for(m / rows, [&](int64_t chunk, int) {
        gemm(GemmArgs<float>{rows, n, k, a.data() + chunk * rows * k, k, 1, b.data(), n, 1,
                             c.data() + chunk * rows * n, n, 1, false});
      });
    }
  };
  ThreadPool one(1), two(2);
  // Interleaved, so that whatever else the machine does meets both.
  const auto report = [&](const char* name) {
    std::vector<double> times[2];
    for (int block = 0; block < 100; ++block) {
      for (int i = 0; i < 200; ++i) {
        ThreadPool& threads = i < 100 ? one : two;
        times[i / 100].push_back(seconds([&] { step(threads); }, 1) * 1e6);
      }
    }
    double means[2];
    for (int i = 0; i < 2; ++i) {
      std::sort(times[i].begin(), times[i].end());
      means[i] = std::accumulate(times[i].begin(), times[i].end(), 0.0) / times[i].size();
      std::printf("%-16s %d threads: mean %8.1f us  median %8.1f us  worst %8.1f us\n", name, i + 1,
                  means[i], times[i][times[i].size() / 2], times[i].back());
    }
    std::printf("%-16s mean of 2 threads over 1: %.2f\n", name, means[1] / means[0]);
  };
  report("alone");
  std::atomic<bool> stop{false};
  std::thread foreign([&] {
    while (!stop.load(std::memory_order_relaxed)) {
    }
  });
  report("busy neighbour");
  stop = true;
  foreign.join();
  const auto t = measure({[&] { two.parallel_for(2, [](int64_t, int) {}); }});
  std::printf("an empty loop of 2 chunks: %.2f us\n", t[0]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"matmul", "batch", "conv", "pool"};
  for (const std::string& name : names) {
    if (name != "pool" && !DnnlMatmul::available()) {
      std::printf("%s: built without oneDNN\n", name.c_str());
    } else if (name == "matmul") {
      matmuls();
    } else if (name == "batch") {
      batches();
    } else if (name == "conv") {
      convs();
    } else {
      pool();
    }
  }
}

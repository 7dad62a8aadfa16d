// STREAM-like bandwidth. Usage: OMP_NUM_THREADS=t ./stream
#include <omp.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
int main() {
  const long n = 1 << 26;  // 256 MiB per float array
  float *a = (float*)aligned_alloc(64, n * 4), *b = (float*)aligned_alloc(64, n * 4),
        *c = (float*)aligned_alloc(64, n * 4);
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 0;
  }
  auto med = [](double* t, int k) {
    std::sort(t, t + k);
    return t[k / 2];
  };
  double tc[15], tt[15], tr[15];
  volatile float sink = 0;
  for (int r = 0; r < 15; r++) {
    double s = now();
#pragma omp parallel for
    for (long i = 0; i < n; i++) c[i] = a[i];
    tc[r] = now() - s;
    s = now();
#pragma omp parallel for
    for (long i = 0; i < n; i++) c[i] = a[i] + 3.f * b[i];
    tt[r] = now() - s;
    s = now();
    float x = 0;
#pragma omp parallel for simd reduction(+ : x)
    for (long i = 0; i < n; i++) x += a[i];
    tr[r] = now() - s;
    sink = sink + x;
  }
  printf("{\"threads\":%d,\"copy_GBps\":%.1f,\"triad_GBps\":%.1f,\"read_GBps\":%.1f}\n",
         omp_get_max_threads(), 8.0 * n / med(tc, 15) / 1e9, 12.0 * n / med(tt, 15) / 1e9,
         4.0 * n / med(tr, 15) / 1e9);
}

// Practical limits: sgemm through OpenBLAS or oneDNN.  Usage: gemm_bench openblas|dnnl N [SECONDS]
// (threads through OMP_NUM_THREADS / OPENBLAS_NUM_THREADS)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#ifdef USE_DNNL
#include <dnnl.h>
#else
#include <cblas.h>
extern "C" char* openblas_get_corename(void);
#endif
static double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  double secs = argc > 2 ? atof(argv[2]) : 2;
  std::vector<float> a(size_t(n) * n), b(a.size()), c(a.size());
  for (size_t i = 0; i < a.size(); i++) {
    a[i] = float(rand()) / RAND_MAX - .5f;
    b[i] = float(rand()) / RAND_MAX - .5f;
  }
  auto f = [&] {
#ifdef USE_DNNL
    dnnl_sgemm('N', 'N', n, n, n, 1.f, a.data(), n, b.data(), n, 0.f, c.data(), n);
#else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.f, a.data(), n, b.data(), n,
                0.f, c.data(), n);
#endif
  };
  for (double t = now(); now() - t < 300;) f();
  std::vector<double> ts;
  for (double t = now(); ts.size() < 5 || now() - t < secs * 1000;) {
    double s = now();
    f();
    ts.push_back(now() - s);
  }
  std::sort(ts.begin(), ts.end());
  double med = ts[ts.size() / 2];
#ifdef USE_DNNL
  std::string core =
      "dnnl " + std::to_string(dnnl_version()->major) + "." + std::to_string(dnnl_version()->minor);
#else
  std::string core = std::string("openblas ") + openblas_get_corename();
#endif
  printf(
      "{\"lib\":\"%s\",\"n\":%d,\"ms\":%.3f,\"reps\":%zu,\"gflops\":%.1f,\"gflops_best\":%.1f}\n",
      core.c_str(), n, med, ts.size(), 2.0 * n * n * n / med / 1e6, 2.0 * n * n * n / ts[0] / 1e6);
}

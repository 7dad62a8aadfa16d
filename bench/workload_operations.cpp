// Single operations on operands that stay on the device. The result goes to a state, and the "loss"
// is a number that costs nothing, so that a step is the operation and what every step costs anyway.
#include "bench/workloads_internal.h"

namespace tensorgrad::bench {

namespace {

struct Product {
  std::int64_t n;
  State a{{n, n}, init::uniform(-2, 2)}, b{{n, n}, init::uniform(-2, 2)}, result{{n, n}};
  State done{Shape{}};

  Tensor operator()() const {
    update(result, matmul(a, b));
    return done;
  }
};

struct Elementwise {
  static constexpr std::int64_t kCount = std::int64_t{1} << 24;
  State a{{kCount}, init::uniform(-2, 2)}, b{{kCount}, init::uniform(-2, 2)},
      c{{kCount}, init::uniform(-2, 2)};
  State result{{kCount}};
  State done{Shape{}};

  Tensor operator()() const {
    update(result, gelu(a * b + c));
    return done;
  }
};

struct Softmax {
  State a{{4096, 1024}, init::uniform(-2, 2)}, result{{4096, 1024}};
  State done{Shape{}};

  Tensor operator()() const {
    update(result, softmax(a, -1));
    return done;
  }
};

template <class M>
void compile_operation(M model, Workload& work, const WorkloadOptions& options) {
  work.training = compile(
      std::move(model), [](const M& m) { return m(); }, compile_options(work, options));
}

}  // namespace

Workload make_operation(const std::string& name, const WorkloadOptions& options) {
  Workload work{.name = name};
  if (name == "sgemm") {
    const std::int64_t n = options.size > 0 ? options.size : 1024;
    const auto extent = static_cast<double>(n);
    work.flops = 2 * extent * extent * extent;
    compile_operation(Product{.n = n}, work, options);
  } else if (name == "eltwise") {
    work.bytes = 16.0 * static_cast<double>(Elementwise::kCount);
    compile_operation(Elementwise{}, work, options);
  } else {
    work.bytes = 8.0 * 4096 * 1024;
    compile_operation(Softmax{}, work, options);
  }
  return work;
}

}  // namespace tensorgrad::bench

// Only the kernels' runners are kept of a program: after construction a run walks a vector, and
// nothing is allocated.
#include "tensorgrad/backend/cpu/executable.h"

#include <chrono>
#include <type_traits>

#include "tensorgrad/backend/cpu/contract.h"
#include "tensorgrad/backend/cpu/loop.h"
#include "tensorgrad/backend/cpu/scatter.h"
#include "tensorgrad/backend/cpu/window.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

class LoopKernel final : public Runner {
 public:
  LoopKernel(const kernel::Loop& loop, backend::Precision precision)
      : loop_(LoopRunner::make(loop, precision)) {}
  void run(const RunContext& context) const override {
    loop_->run(*context.pool,
               LoopContext{context.buffers, context.seed, context.counter, context.status});
  }

 private:
  std::unique_ptr<LoopRunner> loop_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(const kernel::Body& body, backend::Precision precision) {
  return std::visit(
      [precision](const auto& form) -> std::unique_ptr<Runner> {
        using Form = std::decay_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, kernel::Loop>) {
          return std::make_unique<LoopKernel>(form, precision);
        } else if constexpr (std::is_same_v<Form, kernel::Contract>) {
          return make_contract(form, precision);
        } else if constexpr (std::is_same_v<Form, kernel::Window>) {
          return make_window(form, precision);
        } else {
          return make_scatter(form, precision);
        }
      },
      body);
}

CpuExecutable::CpuExecutable(kernel::Program program, backend::Precision precision, int threads)
    : precision_(precision), pool_(ThreadPool::shared(threads)) {
  for (const kernel::Buffer& buffer : program.buffers) buffer_numel_.push_back(buffer.numel);
  addresses_.resize(program.buffers.size(), nullptr);
  for (const kernel::FiniteCheck& check : program.finite_checks) {
    finite_buffers_.push_back(program.results.at(static_cast<std::size_t>(check.result)).buffer);
  }
  ScratchNeed need;
  steps_.reserve(program.kernels.size());
  for (const kernel::Kernel& kernel : program.kernels) {
    steps_.push_back({make_runner(kernel.body, precision), kernel.predicated});
    need.include(steps_.back().runner->scratch());
  }
  const std::size_t shared = aligned_bytes(need.shared);
  const std::size_t worker = aligned_bytes(need.per_worker);
  const std::size_t bytes = shared + worker * static_cast<std::size_t>(pool_->threads());
  scratch_ = std::make_unique<CpuMemory>(static_cast<std::int64_t>(bytes / sizeof(float)),
                                         backend::Precision::f32, "scratch of the kernels");
  context_.pool = pool_.get();
  context_.buffers = addresses_;
  context_.status = &sink_;
  context_.shared = static_cast<std::byte*>(scratch_->address(0));
  context_.workers = context_.shared + shared;
  context_.worker_stride = worker;
}

void CpuExecutable::bind(std::span<const backend::Binding> bindings) {
  require(bindings.size() == addresses_.size(), "every buffer of a program is bound");
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const backend::Binding& binding = bindings[i];
    if (binding.memory == nullptr) {
      addresses_[i] = nullptr;
      continue;
    }
    const auto* memory = dynamic_cast<const CpuMemory*>(binding.memory);
    require(memory != nullptr && memory->precision() == precision_,
            "a program is bound to memory of its device and precision");
    require(binding.offset >= 0 && binding.offset <= memory->numel() &&
                buffer_numel_[i] <= memory->numel() - binding.offset,
            "a binding stays inside its block of memory");
    addresses_[i] = memory->address(binding.offset);
  }
}

void CpuExecutable::look_at_finite_checks() {
  for (std::size_t i = 0; i < finite_buffers_.size(); ++i) {
    const void* const answer = addresses_[static_cast<std::size_t>(finite_buffers_[i])];
    if (*static_cast<const std::uint32_t*>(answer) != 0) continue;
    sink_.non_finite(static_cast<int>(i));
    return;
  }
}

backend::RunStatus CpuExecutable::run_kernels(const backend::RunScalars& scalars,
                                              std::vector<backend::KernelTime>* times) {
  using Clock = std::chrono::steady_clock;
  context_.seed = scalars.seed;
  context_.counter = scalars.counter;
  sink_.reset();
  bool checked = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.predicated && !checked) {
      look_at_finite_checks();
      checked = true;
    }
    if (step.predicated && sink_.set()) continue;
    sink_.begin_kernel(static_cast<int>(i));
    if (times == nullptr) {
      step.runner->run(context_);
      continue;
    }
    const auto begin = Clock::now();
    step.runner->run(context_);
    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
    times->push_back({static_cast<int>(i), passed.count()});
  }
  if (!checked) look_at_finite_checks();
  return sink_.status();
}

backend::RunStatus CpuExecutable::run(const backend::RunScalars& scalars) {
  return run_kernels(scalars, nullptr);
}

backend::RunStatus CpuExecutable::profile(const backend::RunScalars& scalars,
                                          std::vector<backend::KernelTime>& times) {
  times.clear();
  times.reserve(steps_.size());
  return run_kernels(scalars, &times);
}

}  // namespace tensorgrad::cpu

// After the first step the library allocates nothing, and resident memory stays flat.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

#include "models.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void* count_and_allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded)
                                                       : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { return count_and_allocate(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return count_and_allocate(size); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return count_and_allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace tensorgrad::api_test {
namespace {

struct Mlp {
  nn::Linear a{8, 32}, b{32, 4};
  Tensor operator()(const Tensor& x) const { return b(relu(a(x))); }
};

auto make() {
  return compile(Mlp{}, [](const Mlp& m, Tensor x, Tensor y) { return cross_entropy(m(x), y); },
                 {.inputs = {{"x", {16, 8}}, {"y", {16}, i32}},
                  .optimizer = optim::AdamW{.lr = lr::cosine({.base = 1e-3, .steps = 10000})},
                  .clip_grad_norm = 1.0});
}

long resident_kb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") {
      long kb = 0;
      status >> kb;
      return kb;
    }
  }
  return 0;
}

TEST(Allocation, TenThousandStepsAllocateNothing) {
  auto train = make();
  const std::vector<float> x(128, 0.5f);
  const std::vector<std::int32_t> y(16, 1);
  for (int i = 0; i < 3; ++i) train.step(x, y);
  const long before = resident_kb();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 10000; ++i) train.step(x, y);
  counting = false;
  EXPECT_EQ(allocations.load(), 0);
  EXPECT_LE(resident_kb() - before, 1024);
}

TEST(Allocation, StepsWithoutWaitingAllocateNothingEither) {
  auto train = make();
  const std::vector<float> x(128, 0.5f);
  const std::vector<std::int32_t> y(16, 1);
  Pending<StepResult> last;
  for (int i = 0; i < 20; ++i) last = train.step_async(x, y);
  last.get();
  train.sync();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 1000; ++i) last = train.step_async(x, y);
  last.get();
  counting = false;
  // A state of a result is made anew only when all earlier ones are still held.
  EXPECT_LE(allocations.load(), 4);
}

}  // namespace
}  // namespace tensorgrad::api_test

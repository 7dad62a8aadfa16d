#include "allocations.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

// oneDNN allocates in each execution of some primitives, which is not ours to change.
bool is_of_onednn(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         std::string_view(info.dli_fname).find("dnnl") != std::string_view::npos;
}

void* allocate(const void* caller, std::size_t size,
               std::size_t alignment = alignof(std::max_align_t)) {
  if (counting.load(std::memory_order_relaxed) && !is_of_onednn(caller)) {
    allocations.fetch_add(1, std::memory_order_relaxed);
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded)
                                                       : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Never inlined: the compiler would see memory of one function freed by another.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate(__builtin_return_address(0), size);
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return allocate(__builtin_return_address(0), size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(__builtin_return_address(0), size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(__builtin_return_address(0), size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace tensorgrad::train_test {

AllocationCount::AllocationCount() {
  allocations = 0;
  counting = true;
}

AllocationCount::~AllocationCount() { counting = false; }

long AllocationCount::count() const { return allocations; }

}  // namespace tensorgrad::train_test

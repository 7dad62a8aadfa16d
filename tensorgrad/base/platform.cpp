// POSIX where there is one, harmless answers elsewhere.
#include "tensorgrad/base/platform.h"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#define TENSORGRAD_POSIX 1
#else
#define TENSORGRAD_POSIX 0
#endif

namespace tensorgrad {

std::uint64_t physical_memory() {
#if TENSORGRAD_POSIX && defined(_SC_PHYS_PAGES)
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
#endif
  return std::uint64_t{1} << 48;
}

void advise_huge_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#if TENSORGRAD_POSIX && defined(MADV_HUGEPAGE)
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
}

void* find_loaded_symbol([[maybe_unused]] const char* name) {
#if TENSORGRAD_POSIX
  return dlsym(RTLD_DEFAULT, name);
#else
  return nullptr;
#endif
}

}  // namespace tensorgrad

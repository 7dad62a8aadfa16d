// What differs between operating systems, behind functions that any of them can offer. The one file
// of the library whose source includes POSIX headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorgrad {

/// Bytes of physical memory; 2^48 where the system does not say.
std::uint64_t physical_memory();

/// Asks for huge pages behind a block; a hint that may be refused without harm.
void advise_huge_pages(void* block, std::size_t bytes);

/// Address of a symbol among those already loaded into the process, or null.
void* find_loaded_symbol(const char* name);

}  // namespace tensorgrad

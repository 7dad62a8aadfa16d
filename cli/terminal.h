// What a command needs to know about its surroundings; behind one file because it differs between
// operating systems.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tensorgrad::cli {

/// Whether standard output goes to a terminal, so that a line can be drawn again.
bool stdout_is_terminal();

/// Folder of the running program; empty when the system does not say.
std::filesystem::path program_folder();

/// Largest resident memory of the process so far in MiB; 0 when the system does not say.
double peak_rss_mb();

}  // namespace tensorgrad::cli

// Pictures out of a program without any library: PNG files and text for a terminal. PNG data is
// stored, not compressed, which every reader accepts and which needs a checksum instead of a
// compressor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tensorgrad::data {

/// Bytes of floats: `low` becomes 0, `high` 255, values outside and NaN are clamped (NaN to 0).
std::vector<std::uint8_t> to_bytes(std::span<const float> values, float low = 0, float high = 1);

/// A PNG file in memory. `pixels` are rows from the top, 1 (grey), 3 (RGB) or 4 (RGBA) bytes a
/// pixel. Throws UsageError when sizes are not positive or do not fit.
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, std::int64_t width,
                                     std::int64_t height, int channels = 1);
/// Writes such a file. Throws UsageError when it cannot be written.
void write_png(const std::string& path, std::span<const std::uint8_t> pixels, std::int64_t width,
               std::int64_t height, int channels = 1);

/// Settings of `to_terminal`.
struct TerminalOptions {
  float low = 0;       ///< shown black
  float high = 1;      ///< shown white
  bool colour = true;  ///< 24 grey levels by ANSI escapes; false: on or off, plain Unicode
};

/// A grey image as text, two rows of pixels per line of Unicode half blocks; each line ends with a
/// line feed. Throws UsageError when sizes are not positive or do not fit.
std::string to_terminal(std::span<const float> pixels, std::int64_t width, std::int64_t height,
                        TerminalOptions options = {});

}  // namespace tensorgrad::data

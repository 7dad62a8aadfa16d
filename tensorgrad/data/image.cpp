// PNG with stored deflate blocks, and half blocks for a terminal; see image.h.

#include "tensorgrad/data/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string_view>

#include "tensorgrad/base/error.h"

namespace tensorgrad::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
  return table;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = 0xffffffffu;
  for (std::uint8_t byte : bytes) crc = kTable[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return crc ^ 0xffffffffu;
}

std::uint32_t adler32(std::span<const std::uint8_t> bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::uint8_t byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void put_big(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put_chunk(Bytes& out, std::string_view type, const Bytes& data) {
  put_big(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put_big(out, crc32(std::span(out).subspan(begin)));
}

// A zlib stream of stored blocks, each of at most 65535 bytes.
Bytes stored_zlib(const Bytes& raw) {
  Bytes out = {0x78, 0x01};
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t count = std::min<std::size_t>(raw.size() - at, 65535);
    const bool is_last = at + count == raw.size();
    const auto low = static_cast<std::uint8_t>(count);
    const auto high = static_cast<std::uint8_t>(count >> 8);
    out.insert(out.end(), {static_cast<std::uint8_t>(is_last), low, high,
                           static_cast<std::uint8_t>(~low), static_cast<std::uint8_t>(~high)});
    out.insert(out.end(), raw.begin() + static_cast<std::ptrdiff_t>(at),
               raw.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  }
  put_big(out, adler32(raw));
  return out;
}

void check_size(const std::string& what, std::size_t given, std::int64_t width, std::int64_t height,
                int channels) {
  constexpr std::int64_t kLargest = 1 << 14;
  if (width < 1 || height < 1 || width > kLargest || height > kLargest) {
    throw_usage(what + ": the size is " + std::to_string(width) + " by " + std::to_string(height) +
                ", 1 to " + std::to_string(kLargest) + " each expected.");
  }
  if (const std::int64_t needed = width * height * channels;
      given != static_cast<std::uint64_t>(needed)) {
    throw_usage(what + ": " + std::to_string(given) + " values given, " + std::to_string(width) +
                " by " + std::to_string(height) + " pixels of " + std::to_string(channels) +
                " need " + std::to_string(needed) + ".");
  }
}

}  // namespace

std::vector<std::uint8_t> to_bytes(std::span<const float> values, float low, float high) {
  Bytes bytes;
  bytes.reserve(values.size());
  for (float value : values) {
    const float level = (value - low) / (high - low) * 255.0f;
    // The comparison is false for NaN.
    bytes.push_back(level > 0 ? static_cast<std::uint8_t>(std::lround(std::min(level, 255.0f)))
                              : 0);
  }
  return bytes;
}

std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, std::int64_t width,
                                     std::int64_t height, int channels) {
  if (channels != 1 && channels != 3 && channels != 4) {
    throw_usage("encode_png: " + std::to_string(channels) + " channels given, 1, 3 or 4 expected.");
  }
  check_size("encode_png", pixels.size(), width, height, channels);
  Bytes header;
  put_big(header, static_cast<std::uint32_t>(width));
  put_big(header, static_cast<std::uint32_t>(height));
  const std::uint8_t colour_type = channels == 1 ? 0 : channels == 3 ? 2 : 6;
  header.insert(header.end(), {8, colour_type, 0, 0, 0});
  // Each row begins with its filter, 0 for none.
  Bytes rows;
  const auto stride = static_cast<std::size_t>(width * channels);
  rows.reserve((stride + 1) * static_cast<std::size_t>(height));
  for (std::size_t at = 0; at < pixels.size(); at += stride) {
    rows.push_back(0);
    const std::span<const std::uint8_t> row = pixels.subspan(at, stride);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", stored_zlib(rows));
  put_chunk(out, "IEND", {});
  return out;
}

void write_png(const std::string& path, std::span<const std::uint8_t> pixels, std::int64_t width,
               std::int64_t height, int channels) {
  const Bytes bytes = encode_png(pixels, width, height, channels);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw_usage("write_png: '" + path + "' cannot be written.");
}

std::string to_terminal(std::span<const float> pixels, std::int64_t width, std::int64_t height,
                        TerminalOptions options) {
  check_size("to_terminal", pixels.size(), width, height, 1);
  const Bytes bytes = to_bytes(pixels, options.low, options.high);
  const auto level = [&](std::int64_t row, std::int64_t column) -> int {
    return row < height ? bytes[static_cast<std::size_t>(row * width + column)] : 0;
  };
  // The terminal's grey ramp: colours 232 (nearly black) to 255 (nearly white).
  const auto grey = [](int value) { return std::to_string(232 + value * 23 / 255); };
  std::string text;
  for (std::int64_t row = 0; row < height; row += 2) {
    for (std::int64_t column = 0; column < width; ++column) {
      const int upper = level(row, column);
      const int lower = level(row + 1, column);
      if (options.colour) {
        text += "\x1b[38;5;" + grey(upper) + ";48;5;" + grey(lower) + "m▀";
      } else {
        static constexpr std::array<std::string_view, 4> kBlocks = {" ", "▄", "▀", "█"};
        text += kBlocks[(upper >= 128 ? 2u : 0u) + (lower >= 128 ? 1u : 0u)];
      }
    }
    text += options.colour ? "\x1b[0m\n" : "\n";
  }
  return text;
}

}  // namespace tensorgrad::data

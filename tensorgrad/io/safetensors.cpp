// Reading safetensors files; see safetensors.h. Tensors are read one at a time straight into their
// arrays, so a large file is never held twice.

#include "tensorgrad/io/safetensors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <utility>

#include "tensorgrad/base/error.h"
#include "tensorgrad/io/little_endian.h"
#include "tensorgrad/io/safetensors_header.h"

namespace tensorgrad {
namespace {

using io::FileType;
using io::TensorEntry;

// Random access to the bytes of a file or of memory.
struct Source {
  std::string file;  // begins each message
  std::uint64_t size = 0;
  std::function<void(std::uint64_t offset, std::span<std::byte> bytes)> read;
};

float float_of_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// Calls `store(index, value)` for each element of type T.
template <class T, class Store>
void each(std::span<const std::byte> bytes, Store store) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    store(i, io::load_little<T>(bytes.data() + i * sizeof(T)));
  }
}

std::vector<float> narrow_doubles(std::span<const std::byte> bytes, const std::string& where) {
  std::vector<float> values(bytes.size() / sizeof(double));
  each<double>(bytes, [&](std::size_t i, double value) {
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
      throw_usage(where + "the F64 value at index " + std::to_string(i) + " does not fit f32.");
    }
    values[i] = static_cast<float>(value);
  });
  return values;
}

// Integers of type T as i32; false, with the reason, when one does not fit.
template <class T>
bool narrow_integers(std::span<const std::byte> bytes, std::vector<std::int32_t>& values,
                     std::string& reason) {
  values.resize(bytes.size() / sizeof(T));
  each<T>(bytes, [&](std::size_t i, T value) {
    if (std::in_range<std::int32_t>(value)) {
      values[i] = static_cast<std::int32_t>(value);
    } else if (reason.empty()) {
      reason =
          "value " + std::to_string(value) + " at index " + std::to_string(i) + " does not fit i32";
    }
  });
  return reason.empty();
}

bool convert_integers(FileType type, std::span<const std::byte> bytes,
                      std::vector<std::int32_t>& values, std::string& reason) {
  switch (type) {
    case FileType::kU8: return narrow_integers<std::uint8_t>(bytes, values, reason);
    case FileType::kI8: return narrow_integers<std::int8_t>(bytes, values, reason);
    case FileType::kU16: return narrow_integers<std::uint16_t>(bytes, values, reason);
    case FileType::kI16: return narrow_integers<std::int16_t>(bytes, values, reason);
    case FileType::kU32: return narrow_integers<std::uint32_t>(bytes, values, reason);
    case FileType::kU64: return narrow_integers<std::uint64_t>(bytes, values, reason);
    default: return narrow_integers<std::int64_t>(bytes, values, reason);
  }
}

void read_tensor(const Source& source, std::uint64_t data_begin, const TensorEntry& entry,
                 Safetensors& result) {
  const std::uint64_t offset = data_begin + entry.begin;
  const auto keep = [&](Array array) { result.tensors.emplace(entry.name, std::move(array)); };
  if (entry.type == FileType::kF32 || entry.type == FileType::kI32) {
    Array array = Array::zeros(entry.shape, entry.type == FileType::kF32 ? DType::f32 : DType::i32);
    source.read(offset, array.mutable_bytes());
    io::swap_words_unless_little(array.mutable_bytes());
    return keep(std::move(array));
  }
  std::vector<std::byte> bytes(entry.end - entry.begin);
  source.read(offset, bytes);
  const std::string where = source.file + ": tensor '" + entry.name + "': ";
  switch (entry.type) {
    case FileType::kF16: {
      std::vector<float> values(bytes.size() / 2);
      each<std::uint16_t>(bytes,
                          [&](std::size_t i, std::uint16_t v) { values[i] = float_of_half(v); });
      return keep(Array(entry.shape, std::move(values)));
    }
    case FileType::kBF16: {
      std::vector<float> values(bytes.size() / 2);
      each<std::uint16_t>(bytes, [&](std::size_t i, std::uint16_t v) {
        values[i] = std::bit_cast<float>(std::uint32_t(v) << 16);
      });
      return keep(Array(entry.shape, std::move(values)));
    }
    case FileType::kF64: return keep(Array(entry.shape, narrow_doubles(bytes, where)));
    case FileType::kBool: {
      std::vector<std::uint32_t> values(bytes.size());
      each<std::uint8_t>(bytes, [&](std::size_t i, std::uint8_t v) { values[i] = v; });
      return keep(Array::from_boolean(entry.shape, std::move(values)));
    }
    default: {
      std::vector<std::int32_t> values;
      std::string reason;
      if (convert_integers(entry.type, bytes, values, reason)) {
        keep(Array::from_i32(entry.shape, std::move(values)));
      } else {
        result.skipped.emplace(entry.name, entry.dtype + " " + reason);
      }
    }
  }
}

Safetensors read_all(const Source& source) {
  constexpr std::uint64_t kLengthBytes = 8;
  if (source.size < kLengthBytes) {
    throw_usage(source.file + ": the file has " + std::to_string(source.size) +
                " bytes, at least 8 expected.");
  }
  std::byte field[kLengthBytes];
  source.read(0, field);
  const auto length = io::load_little<std::uint64_t>(field);
  if (length > io::kMaxHeaderBytes) {
    throw_usage(source.file + ": the header is said to have " + std::to_string(length) +
                " bytes, at most " + std::to_string(io::kMaxHeaderBytes) + " are read.");
  }
  const std::uint64_t rest = source.size - kLengthBytes;
  if (length > rest) {
    throw_usage(source.file + ": the header is said to have " + std::to_string(length) +
                " bytes, the file has " + std::to_string(rest) + " after the length.");
  }
  std::string json(length, '\0');
  source.read(kLengthBytes, std::as_writable_bytes(std::span(json)));
  io::Header header = io::parse_header(json, rest - length, source.file);
  Safetensors result;
  result.metadata = std::move(header.metadata);
  for (const TensorEntry& entry : header.tensors) {
    read_tensor(source, kLengthBytes + length, entry, result);
  }
  return result;
}

}  // namespace

Safetensors read_safetensors(const std::string& path) {
  Source source;
  source.file = "load_safetensors: '" + path + "'";
  std::error_code error;
  source.size = std::filesystem::file_size(path, error);
  std::ifstream stream;
  if (!error) {
    stream.open(path, std::ios::binary);
    if (!stream) error = std::make_error_code(std::errc::permission_denied);
  }
  if (error) throw_usage(source.file + " cannot be opened: " + error.message() + ".");
  source.read = [&](std::uint64_t offset, std::span<std::byte> bytes) {
    if (bytes.empty()) return;
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!stream) throw_usage(source.file + ": the file cannot be read.");
  };
  return read_all(source);
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  return read_all({.file = "load_safetensors: '" + name + "'",
                   .size = bytes.size(),
                   .read = [bytes](std::uint64_t offset, std::span<std::byte> target) {
                     if (target.empty()) return;
                     std::memcpy(target.data(), bytes.data() + offset, target.size());
                   }});
}

ParamMap load_safetensors(const std::string& path) { return read_safetensors(path).tensors; }

}  // namespace tensorgrad

// The JSON header of a safetensors file, parsed and checked; private to io/. Separate from the data
// so that the JSON library stays in one source file and headers are refused before any tensor is
// read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensorgrad/base/shape.h"

namespace tensorgrad::io {

/// Longest header that is read or written, in bytes; the limit of the reference implementation.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
/// The reserved entry of the header.
inline constexpr std::string_view kMetadataName = "__metadata__";

/// Element types that can be read.
enum class FileType {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF16,
  kBF16,
  kF32,
  kF64
};

/// One tensor of a file; the offsets count from the end of the header.
struct TensorEntry {
  std::string name;
  std::string dtype;
  FileType type = FileType::kF32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Header {
  std::vector<TensorEntry> tensors;  ///< in the order of the data
  std::map<std::string, std::string> metadata;
};

/// Parses `json` and checks that the tensors tile `data_bytes` bytes without overlap or hole.
/// `file` begins each message. Throws UsageError.
Header parse_header(std::string_view json, std::uint64_t data_bytes, const std::string& file);

/// A JSON string with quotes. Throws UsageError, beginning with `what`, when `text` is not UTF-8.
std::string json_string(const std::string& text, const std::string& what);

}  // namespace tensorgrad::io

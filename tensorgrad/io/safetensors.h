// The safetensors format: 8 bytes little-endian header length, a JSON header, raw row-major data.
// Files come from strangers, so reading is strict: each byte of the data belongs to exactly one
// tensor, nothing is allocated that the file is too small to hold, and every refusal names the file
// and the tensor.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/io/array.h"

namespace tensorgrad {

/// Everything a file holds.
struct Safetensors {
  ParamMap tensors;
  std::map<std::string, std::string> metadata;  ///< the `__metadata__` entry
  std::map<std::string, std::string> skipped;   ///< name of a tensor that was left out, and why
};

/// Reads a file. Element types: F32 as it is; F16 and BF16 exactly, F64 rounded to the nearest f32
/// (a finite value beyond f32 is refused); I32, and U8, I8, U16, I16, U32, U64, I64 as i32 (a
/// tensor with a value that does not fit is skipped and reported); BOOL as booleans, any byte but 0
/// being true. Other types are refused. Throws UsageError for a file that cannot be read or is
/// malformed; the header may have 100 MB.
Safetensors read_safetensors(const std::string& path);
/// The same from memory; `name` stands for the file in messages.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name = "memory");
/// The tensors of `read_safetensors`; skipped ones are absent.
ParamMap load_safetensors(const std::string& path);

/// Writes F32, I32 and BOOL tensors. The file appears under its name only when it is complete (a
/// temporary file beside it is renamed), so that a program that dies while saving leaves the
/// previous file. Throws UsageError when it cannot be written, when a tensor is called
/// `__metadata__`, or when a name is not UTF-8; nothing is changed then.
void save_safetensors(const std::string& path, const ParamMap& tensors,
                      const std::map<std::string, std::string>& metadata = {});
/// The bytes of such a file.
std::vector<std::byte> serialize_safetensors(
    const ParamMap& tensors, const std::map<std::string, std::string>& metadata = {});

}  // namespace tensorgrad

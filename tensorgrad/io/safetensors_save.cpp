// Writing safetensors files; see safetensors.h. Everything is checked and the header built before
// the first byte is written. Four-byte types come first, so that each tensor is aligned to its
// element.

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "tensorgrad/base/error.h"
#include "tensorgrad/io/little_endian.h"
#include "tensorgrad/io/safetensors.h"
#include "tensorgrad/io/safetensors_header.h"

namespace tensorgrad {
namespace {

using Named = ParamMap::value_type;
using Metadata = std::map<std::string, std::string>;

struct FileLayout {
  std::string header;                 // padded, without the length
  std::vector<const Named*> tensors;  // in the order of the data
};

std::size_t element_bytes(DType dtype) { return dtype == DType::boolean ? 1 : 4; }

std::string_view file_dtype(DType dtype) {
  switch (dtype) {
    case DType::f32: return "F32";
    case DType::i32: return "I32";
    case DType::boolean: break;
  }
  return "BOOL";
}

FileLayout lay_out(const ParamMap& map, const Metadata& metadata, const std::string& file) {
  FileLayout layout;
  for (const bool small : {false, true}) {
    for (const Named& entry : map) {
      if ((element_bytes(entry.second.dtype) == 1) == small) layout.tensors.push_back(&entry);
    }
  }
  std::string& text = layout.header;
  text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    const char* comma = "";
    for (const auto& [key, value] : metadata) {
      text += comma + io::json_string(key, file + ": a key of the metadata") + ':' +
              io::json_string(value, file + ": the metadata of '" + key + "'");
      comma = ",";
    }
    text += '}';
  }
  std::uint64_t offset = 0;
  for (const Named* entry : layout.tensors) {
    const auto& [name, array] = *entry;
    if (name == io::kMetadataName) {
      throw_usage(file + ": a tensor cannot be called '__metadata__'.");
    }
    if (static_cast<std::uint64_t>(array.shape.numel()) != array.size()) {
      throw_usage(file + ": tensor '" + name + "': " + std::to_string(array.size()) +
                  " values given, shape " + array.shape.str() + " has " +
                  std::to_string(array.shape.numel()) + ".");
    }
    const std::uint64_t end = offset + array.size() * element_bytes(array.dtype);
    if (text.size() > 1) text += ',';
    text += io::json_string(name, file + ": the name of a tensor") + ":{\"dtype\":\"";
    text += file_dtype(array.dtype);
    text += "\",\"shape\":" + array.shape.str() + ",\"data_offsets\":[" + std::to_string(offset) +
            ',' + std::to_string(end) + "]}";
    offset = end;
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > io::kMaxHeaderBytes) {
    throw_usage(file + ": the header would have " + std::to_string(text.size()) +
                " bytes, at most " + std::to_string(io::kMaxHeaderBytes) + " are allowed.");
  }
  return layout;
}

using Sink = std::function<void(std::span<const std::byte>)>;

void write_all(const FileLayout& layout, const Sink& sink) {
  std::byte length[8];
  io::store_little<std::uint64_t>(layout.header.size(), length);
  sink(length);
  sink(std::as_bytes(std::span(layout.header)));
  std::vector<std::byte> buffer;
  for (const Named* entry : layout.tensors) {
    const Array& array = entry->second;
    if (array.dtype == DType::boolean) {
      buffer.clear();
      for (std::uint32_t value : array.boolean()) buffer.push_back(std::byte(value != 0));
      sink(buffer);
    } else if constexpr (std::endian::native == std::endian::little) {
      sink(array.bytes());
    } else {
      buffer.assign(array.bytes().begin(), array.bytes().end());
      io::swap_words_unless_little(buffer);
      sink(buffer);
    }
  }
}

// A name beside `path`; random, so that two savers of one file do not write into each other's.
std::string temporary_name(const std::string& path) {
  return path + ".partial-" + std::to_string(std::random_device()());
}

}  // namespace

void save_safetensors(const std::string& path, const ParamMap& tensors, const Metadata& metadata) {
  const std::string file = "save_safetensors: '" + path + "'";
  const FileLayout layout = lay_out(tensors, metadata, file);
  const std::string temporary = temporary_name(path);
  std::error_code error;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    if (!stream) throw_usage(file + " cannot be created.");
    write_all(layout, [&](std::span<const std::byte> bytes) {
      stream.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    });
    stream.close();
    if (!stream) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw_usage(file + " cannot be written: " + error.message() + ".");
  }
}

std::vector<std::byte> serialize_safetensors(const ParamMap& tensors, const Metadata& metadata) {
  std::vector<std::byte> result;
  write_all(lay_out(tensors, metadata, "serialize_safetensors"),
            [&](std::span<const std::byte> bytes) {
              result.insert(result.end(), bytes.begin(), bytes.end());
            });
  return result;
}

}  // namespace tensorgrad

// Header of a safetensors file; see safetensors_header.h. Uses the event interface of the JSON
// library, because its document type keeps one of two equal keys silently.

#include "tensorgrad/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "tensorgrad/base/error.h"

namespace tensorgrad::io {
namespace {

using Json = nlohmann::json;

struct TypeRow {
  std::string_view name;
  FileType type;
  std::uint64_t bytes;
};
constexpr std::array<TypeRow, 13> kTypes = {{{"BOOL", FileType::kBool, 1},
                                             {"U8", FileType::kU8, 1},
                                             {"I8", FileType::kI8, 1},
                                             {"U16", FileType::kU16, 2},
                                             {"I16", FileType::kI16, 2},
                                             {"U32", FileType::kU32, 4},
                                             {"I32", FileType::kI32, 4},
                                             {"U64", FileType::kU64, 8},
                                             {"I64", FileType::kI64, 8},
                                             {"F16", FileType::kF16, 2},
                                             {"BF16", FileType::kBF16, 2},
                                             {"F32", FileType::kF32, 4},
                                             {"F64", FileType::kF64, 8}}};

// Collects the header from events and refuses whatever is out of place.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  Header take() { return std::move(header_); }

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(Json::number_integer_t value) {
    return unexpected("the negative number " + std::to_string(value));
  }
  bool number_float(Json::number_float_t, const std::string& text) {
    return unexpected("the number " + text);
  }
  bool binary(Json::binary_t&) { return unexpected("binary data"); }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (place_ == Place::kShape && value <= kLargest) {
      entry_.shape.push_back(static_cast<std::int64_t>(value));
    } else if (place_ == Place::kOffsets) {
      offsets_.push_back(value);
    } else {
      return unexpected("the number " + std::to_string(value));
    }
    return true;
  }

  bool string(std::string& value) {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = std::move(value);
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      entry_.dtype = std::move(value);
    } else {
      return unexpected("a string");
    }
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
    } else if (place_ == Place::kTop && key_ == kMetadataName) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kTop) {
      place_ = Place::kTensor;
      entry_ = TensorEntry{};
      entry_.name = key_;
      offsets_.clear();
    } else {
      return unexpected("an object");
    }
    seen_.emplace_back();
    return true;
  }

  bool end_object() {
    if (place_ == Place::kTensor) finish_tensor();
    seen_.pop_back();
    place_ = Place::kTop;
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ == Place::kTensor && key_ == "shape") {
      place_ = Place::kShape;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
    } else {
      return unexpected("an array");
    }
    return true;
  }

  bool end_array() {
    place_ = Place::kTensor;
    return true;
  }

  bool key(std::string& name) {
    if (!seen_.back().insert(name).second) {
      if (place_ == Place::kTop) fail("the name '" + name + "' is duplicate");
      fail_here("'" + name + "' is given twice");
    }
    key_ = std::move(name);
    if (place_ == Place::kTensor && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") {
      fail_here("the field '" + key_ + "' is unknown, known: 'dtype', 'shape', 'data_offsets'");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    fail("the header is not valid UTF-8 JSON, at its byte " + std::to_string(position));
  }

 private:
  enum class Place { kStart, kTop, kTensor, kShape, kOffsets, kMetadata };
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

  [[noreturn]] void fail(const std::string& what) const { throw_usage(file_ + ": " + what + "."); }

  [[noreturn]] void fail_here(const std::string& what) const {
    if (place_ == Place::kMetadata) fail("entry '__metadata__': " + what);
    fail("tensor '" + entry_.name + "': " + what);
  }

  bool unexpected(const std::string& what) const {
    switch (place_) {
      case Place::kStart: fail("the header is " + what + ", not an object");
      case Place::kTop: fail("entry '" + key_ + "' is " + what + ", not an object");
      case Place::kMetadata: fail_here("'" + key_ + "' is " + what + ", not a string");
      case Place::kTensor: fail_here("'" + key_ + "' cannot be " + what);
      case Place::kShape: fail_here("'shape' cannot hold " + what);
      case Place::kOffsets: fail_here("'data_offsets' cannot hold " + what);
    }
    return false;
  }

  void finish_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (seen_.back().count(field) == 0) fail_here("'" + std::string(field) + "' is missing");
    }
    const auto row = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const TypeRow& r) { return r.name == entry_.dtype; });
    if (row == kTypes.end()) {
      std::vector<std::string> known;
      for (const TypeRow& r : kTypes) known.emplace_back(r.name);
      fail_here("dtype '" + entry_.dtype + "' cannot be loaded, loadable: " + join_names(known));
    }
    entry_.type = row->type;
    if (offsets_.size() != 2) {
      fail_here("'data_offsets' has " + std::to_string(offsets_.size()) + " numbers, 2 expected");
    }
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    const std::string range = std::to_string(entry_.begin) + ',' + std::to_string(entry_.end);
    if (entry_.begin > entry_.end) fail_here("'data_offsets' [" + range + "] are reversed");
    const std::string type = entry_.dtype + entry_.shape.str();
    const std::optional<std::uint64_t> needed = bytes_of(entry_.shape, row->bytes);
    if (!needed) fail_here(type + " is too large");
    if (const std::uint64_t given = entry_.end - entry_.begin; given != *needed) {
      fail_here("'data_offsets' [" + range + "] hold " + std::to_string(given) + " bytes, " + type +
                " has " + std::to_string(*needed));
    }
    header_.tensors.push_back(std::move(entry_));
  }

  // Nothing when the size does not fit 62 bits.
  static std::optional<std::uint64_t> bytes_of(const Shape& shape, std::uint64_t element) {
    std::uint64_t bytes = element;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    for (std::int64_t extent : shape) {
      if (bytes > (kLargest / 2) / static_cast<std::uint64_t>(extent)) return std::nullopt;
      bytes *= static_cast<std::uint64_t>(extent);
    }
    return bytes;
  }

  const std::string& file_;
  Header header_;
  Place place_ = Place::kStart;
  std::string key_;
  std::vector<std::set<std::string>> seen_;  // keys of the open objects
  TensorEntry entry_;
  std::vector<std::uint64_t> offsets_;
};

void check_tiling(const Header& header, std::uint64_t data_bytes, const std::string& file) {
  std::uint64_t covered = 0;
  const TensorEntry* previous = nullptr;
  for (const TensorEntry& entry : header.tensors) {
    const auto fail = [&](const std::string& what) {
      throw_usage(file + ": tensor '" + entry.name + "': " + what + ".");
    };
    if (entry.end > data_bytes) {
      fail("the data ends at byte " + std::to_string(entry.end) + ", the file has " +
           std::to_string(data_bytes) + " bytes of data");
    }
    if (entry.begin < covered) {
      fail("the data overlaps that of tensor '" + previous->name + "'");
    }
    if (entry.begin > covered) {
      fail(std::to_string(entry.begin - covered) + " bytes before the data belong to no tensor");
    }
    covered = entry.end;
    previous = &entry;
  }
  if (covered != data_bytes) {
    throw_usage(file + ": the last " + std::to_string(data_bytes - covered) +
                " bytes belong to no tensor.");
  }
}

}  // namespace

Header parse_header(std::string_view json, std::uint64_t data_bytes, const std::string& file) {
  if (json.empty() || json.front() != '{') {
    throw_usage(file + ": the header does not begin with '{'.");
  }
  HeaderReader reader(file);
  Json::sax_parse(json.begin(), json.end(), &reader);
  Header header = reader.take();
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  check_tiling(header, data_bytes, file);
  return header;
}

std::string json_string(const std::string& text, const std::string& what) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    throw_usage(what + " is not valid UTF-8.");
  }
}

}  // namespace tensorgrad::io

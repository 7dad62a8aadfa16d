// IDX: two zero bytes, the element type, the rank, big-endian 32-bit extents, then the values; see
// idx.h.

#include "tensorgrad/data/idx.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "tensorgrad/base/error.h"

namespace tensorgrad::data {
namespace {

constexpr unsigned kUnsignedByte = 0x08;

// The values that remain must be exactly `bytes`; never more than the file is allocated.
std::int64_t checked_count(const Shape& shape, std::uint64_t bytes, const std::string& file) {
  std::uint64_t count = 1;
  for (std::int64_t extent : shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (factor != 0 && count > bytes / factor) {
      count = bytes + 1;
      break;
    }
    count *= factor;
  }
  if (count > bytes) {
    throw_usage(file + ": shape " + shape.str() + " needs more than the " + std::to_string(bytes) +
                " bytes of data.");
  }
  if (count < bytes) {
    throw_usage(file + ": shape " + shape.str() + " needs " + std::to_string(count) +
                " bytes of data, the file has " + std::to_string(bytes) + ".");
  }
  return static_cast<std::int64_t>(count);
}

std::string find_file(const std::string& folder, const std::string& stem, const std::string& kind) {
  const std::filesystem::path root(folder);
  const std::string usual = stem + "-" + kind;
  const std::string dotted = stem + "." + kind;
  for (const std::string& file : {usual, dotted}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(root / file, ignored)) return (root / file).string();
  }
  throw_usage("load_mnist: folder '" + folder + "' has no file '" + usual + "' or '" + dotted +
              "'.");
}

}  // namespace

IdxFile read_idx(const std::string& path) {
  const std::string file = "read_idx: '" + path + "'";
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw_usage(file + " cannot be opened: " + error.message() + ".");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw_usage(file + " cannot be opened.");
  unsigned char magic[4] = {};
  stream.read(reinterpret_cast<char*>(magic), sizeof magic);
  if (magic[0] == 0x1f && magic[1] == 0x8b) {
    throw_usage(file + ": the file is compressed with gzip.", {}, "unpack it with gunzip first");
  }
  if (!stream || magic[0] != 0 || magic[1] != 0) {
    throw_usage(file + ": the file does not begin like an IDX file.");
  }
  if (magic[2] != kUnsignedByte) {
    throw_usage(file + ": the element type is " + std::to_string(magic[2]) +
                ", 8 (unsigned byte) expected.");
  }
  IdxFile result;
  for (int axis = 0; axis < magic[3]; ++axis) {
    unsigned char b[4];
    if (!stream.read(reinterpret_cast<char*>(b), sizeof b)) {
      throw_usage(file + ": the file ends inside its header.");
    }
    result.shape.push_back(std::int64_t{b[0]} << 24 | b[1] << 16 | b[2] << 8 | b[3]);
  }
  const std::uint64_t header = sizeof magic + 4u * magic[3];
  result.values.resize(static_cast<std::size_t>(checked_count(result.shape, size - header, file)));
  stream.read(reinterpret_cast<char*>(result.values.data()),
              static_cast<std::streamsize>(result.values.size()));
  if (!stream) throw_usage(file + ": the file cannot be read.");
  return result;
}

LabelledImages::LabelledImages(IdxFile images, IdxFile labels)
    : images_(std::move(images)), labels_(std::move(labels)) {
  if (images_.shape.ndim() != 3) {
    throw_usage("LabelledImages: images have shape " + images_.shape.str() + ", rank 3 expected.");
  }
  if (labels_.shape != Shape{size()}) {
    throw_usage("LabelledImages: labels have shape " + labels_.shape.str() + ", [" +
                std::to_string(size()) + "] expected for as many images.");
  }
}

void LabelledImages::check_index(std::int64_t index) const {
  if (index < 0 || index >= size()) {
    throw_usage("LabelledImages: index " + std::to_string(index) + " is out of range, there are " +
                std::to_string(size()) + " images.");
  }
}

std::span<const std::uint8_t> LabelledImages::image(std::int64_t index) const {
  check_index(index);
  const auto pixels = static_cast<std::size_t>(rows() * columns());
  return std::span(images_.values).subspan(static_cast<std::size_t>(index) * pixels, pixels);
}

std::int32_t LabelledImages::label(std::int64_t index) const {
  check_index(index);
  return labels_.values[static_cast<std::size_t>(index)];
}

LabelledImages::Batch LabelledImages::batch(std::span<const std::int64_t> indices) const {
  Batch result;
  result.x.reserve(indices.size() * static_cast<std::size_t>(rows() * columns()));
  result.y.reserve(indices.size());
  for (std::int64_t index : indices) {
    for (std::uint8_t pixel : image(index)) result.x.push_back(static_cast<float>(pixel) / 255.0f);
    result.y.push_back(label(index));
  }
  return result;
}

LabelledImages load_mnist(const std::string& folder, Part part) {
  const std::string stem = part == Part::train ? "train" : "t10k";
  IdxFile images = read_idx(find_file(folder, stem + "-images", "idx3-ubyte"));
  IdxFile labels = read_idx(find_file(folder, stem + "-labels", "idx1-ubyte"));
  return LabelledImages(std::move(images), std::move(labels));
}

}  // namespace tensorgrad::data

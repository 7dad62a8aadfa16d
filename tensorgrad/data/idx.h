// Reader of IDX files, the format of MNIST and its relatives, and of the four files of such a data
// set. Pixels stay bytes in memory (a quarter of the size) and become floats from 0 to 1 batch by
// batch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/base/shape.h"

namespace tensorgrad::data {

/// Contents of an IDX file of unsigned bytes, row-major.
struct IdxFile {
  Shape shape;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file of unsigned bytes. Throws UsageError when the file cannot be read, is
/// compressed, holds another type, or has not exactly the bytes that its header declares.
IdxFile read_idx(const std::string& path);

/// Grey images with a class each.
class LabelledImages {
 public:
  /// What a training step takes: pixels from 0 to 1 as [count, rows, columns], and a class per
  /// image.
  struct Batch {
    std::vector<float> x;
    std::vector<std::int32_t> y;
  };

  /// `images` of rank 3, `labels` of rank 1, as many. Throws UsageError otherwise.
  LabelledImages(IdxFile images, IdxFile labels);

  std::int64_t size() const { return images_.shape[0]; }
  std::int64_t rows() const { return images_.shape[1]; }
  std::int64_t columns() const { return images_.shape[2]; }
  /// The bytes of one image. Throws UsageError when there is no such image.
  std::span<const std::uint8_t> image(std::int64_t index) const;
  std::int32_t label(std::int64_t index) const;
  /// The images of these indices. Throws UsageError when an index is out of range.
  Batch batch(std::span<const std::int64_t> indices) const;

 private:
  void check_index(std::int64_t index) const;

  IdxFile images_;
  IdxFile labels_;
};

enum class Part { train, test };

/// Reads `train-images-idx3-ubyte` and `train-labels-idx1-ubyte` (or `t10k-…`) of a folder; the
/// spelling `train-images.idx3-ubyte` is found too.
LabelledImages load_mnist(const std::string& folder, Part part);

}  // namespace tensorgrad::data

// A sheet of test images with their predictions, as text for a terminal and as a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/data/idx.h"

namespace tensorgrad::cli {

/// An image of a data set and what a model said about it.
struct Prediction {
  std::int64_t index = 0;
  int predicted = 0;
  int label = 0;
  bool right() const { return predicted == label; }
};

/// The first images, with some of the mistakes at the end.
std::vector<Prediction> choose_examples(std::span<const Prediction> all, std::size_t count);

/// Rows of images at half their size, 78 columns wide, each with its prediction below; mistakes
/// name the right class too. `colour`: ANSI escapes.
std::string draw_text(const data::LabelledImages& images, std::span<const Prediction> shown,
                      bool colour);

/// Writes a PNG: the images at twice their size, each with its prediction beside it, green when
/// right and red when wrong. Throws UsageError when the file cannot be written.
void write_picture(const std::string& path, const data::LabelledImages& images,
                   std::span<const Prediction> shown);

}  // namespace tensorgrad::cli

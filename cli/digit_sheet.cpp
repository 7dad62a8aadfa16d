#include "cli/digit_sheet.h"

#include <algorithm>
#include <array>

#include "tensorgrad/data/image.h"

namespace tensorgrad::cli {

namespace {

constexpr std::int64_t kPerRow = 6;       // images in a row of text
constexpr std::int64_t kBorder = 2;       // pixels cut off on each side: they are empty in MNIST
constexpr std::int64_t kGap = 1;          // characters between images
constexpr std::int64_t kMargin = 4;       // pixels around a cell of the picture
constexpr std::int64_t kPictureRow = 10;  // images in a row of the picture
constexpr std::int64_t kZoom = 2;         // pixels of the picture per pixel of an image

// Digits of 3 by 5 dots, a row per octal digit.
constexpr std::array<std::uint16_t, 10> kFont = {075557, 026227, 071747, 071717, 055711,
                                                 074717, 074757, 071111, 075757, 075717};

struct Colour {
  std::uint8_t red, green, blue;
};
constexpr Colour kGreen{64, 200, 96}, kRed{235, 64, 52}, kGrey{150, 150, 150};

class Picture {
 public:
  Picture(std::int64_t width, std::int64_t height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(3 * width * height), 16) {}

  void fill(std::int64_t left, std::int64_t top, std::int64_t size, Colour colour) {
    for (std::int64_t y = top; y < top + size; ++y) {
      for (std::int64_t x = left; x < left + size; ++x) {
        std::uint8_t* pixel = &pixels_[static_cast<std::size_t>(3 * (y * width_ + x))];
        pixel[0] = colour.red, pixel[1] = colour.green, pixel[2] = colour.blue;
      }
    }
  }
  void digit(std::int64_t left, std::int64_t top, std::int64_t dot, int digit, Colour colour) {
    for (int bit = 0; bit < 15; ++bit) {
      if ((kFont[static_cast<std::size_t>(digit)] >> (14 - bit) & 1) == 0) continue;
      fill(left + bit % 3 * dot, top + bit / 3 * dot, dot, colour);
    }
  }
  void write(const std::string& path) const { data::write_png(path, pixels_, width_, height_, 3); }

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

std::string caption(const Prediction& shown, std::int64_t width, bool colour) {
  std::string text = "  " + std::to_string(shown.predicted);
  if (!shown.right()) text += ", not " + std::to_string(shown.label);
  const std::size_t pad =
      static_cast<std::size_t>(width) - std::min(text.size(), static_cast<std::size_t>(width));
  if (colour) text = (shown.right() ? "\033[32m" : "\033[31m") + text + "\033[0m";
  return text + std::string(pad, ' ');
}

}  // namespace

std::vector<Prediction> choose_examples(std::span<const Prediction> all, std::size_t count) {
  std::vector<Prediction> chosen, wrong;
  for (const Prediction& prediction : all) {
    if (!prediction.right() && wrong.size() < count / 3) wrong.push_back(prediction);
  }
  for (const Prediction& prediction : all) {
    if (chosen.size() + wrong.size() >= count) break;
    if (prediction.right()) chosen.push_back(prediction);
  }
  chosen.insert(chosen.end(), wrong.begin(), wrong.end());
  return chosen;
}

std::string draw_text(const data::LabelledImages& images, std::span<const Prediction> shown,
                      bool colour) {
  const std::int64_t rows = images.rows() / 2 - kBorder, columns = images.columns() / 2 - kBorder;
  const std::int64_t cell = columns + kGap, width = kPerRow * cell;
  std::string text;
  for (std::size_t first = 0; first < shown.size(); first += kPerRow) {
    const auto line = shown.subspan(first, std::min<std::size_t>(kPerRow, shown.size() - first));
    std::vector<float> pixels(static_cast<std::size_t>(rows * width), 0.0f);
    std::string captions;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::span<const std::uint8_t> image = images.image(line[i].index);
      const auto at = [&](std::int64_t y, std::int64_t x) {
        return image[static_cast<std::size_t>(y * images.columns() + x)] / 255.0f;
      };
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
          const std::int64_t v = kBorder + 2 * y, u = kBorder + 2 * x;
          const float mean = (at(v, u) + at(v, u + 1) + at(v + 1, u) + at(v + 1, u + 1)) / 4;
          pixels[static_cast<std::size_t>(y * width + static_cast<std::int64_t>(i) * cell + x)] =
              mean;
        }
      }
      captions += caption(line[i], cell, colour);
    }
    text += data::to_terminal(pixels, width, rows, {.colour = colour}) + captions + "\n";
  }
  return text;
}

void write_picture(const std::string& path, const data::LabelledImages& images,
                   std::span<const Prediction> shown) {
  const std::int64_t side = kZoom * std::max(images.rows(), images.columns());
  const std::int64_t width = side + 6 * kZoom + 3 * kMargin, height = side + 2 * kMargin;
  const std::int64_t count = static_cast<std::int64_t>(shown.size());
  Picture picture(kPictureRow * width, (count + kPictureRow - 1) / kPictureRow * height);
  for (std::int64_t i = 0; i < count; ++i) {
    const Prediction& prediction = shown[static_cast<std::size_t>(i)];
    const std::int64_t left = i % kPictureRow * width + kMargin;
    const std::int64_t top = i / kPictureRow * height + kMargin;
    const std::span<const std::uint8_t> image = images.image(prediction.index);
    for (std::int64_t y = 0; y < images.rows(); ++y) {
      for (std::int64_t x = 0; x < images.columns(); ++x) {
        const std::uint8_t grey = image[static_cast<std::size_t>(y * images.columns() + x)];
        picture.fill(left + kZoom * x, top + kZoom * y, kZoom, {grey, grey, grey});
      }
    }
    const std::int64_t beside = left + side + kMargin;
    picture.digit(beside, top, 2 * kZoom, prediction.predicted, prediction.right() ? kGreen : kRed);
    if (!prediction.right())
      picture.digit(beside, top + 14 * kZoom, kZoom, prediction.label, kGrey);
  }
  picture.write(path);
}

}  // namespace tensorgrad::cli

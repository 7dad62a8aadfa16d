// PNG bytes and terminal text.

#include "tensorgrad/data/image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensorgrad/base/error.h"

namespace tensorgrad::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Image, FloatsToBytes) {
  const std::vector<float> values = {
      0, 1, 0.5f, -3, 7, std::nanf(""), std::numeric_limits<float>::infinity()};
  EXPECT_EQ(to_bytes(values), (Bytes{0, 255, 128, 0, 255, 0, 255}));
  EXPECT_EQ(to_bytes(std::vector<float>{-1, 0, 1}, -1, 1), (Bytes{0, 128, 255}));
}

TEST(Image, PngOfOnePixel) {
  // Checksums computed with zlib.
  const Bytes expected = {0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n',  // signature
                          0,    0,    0,    13,   'I',  'H',  'D',  'R',  0,    0,    0,    1,
                          0,    0,    0,    1,    8,    0,    0,    0,    0,  // header
                          0x3a, 0x7e, 0x9b, 0x55,                             //
                          0,    0,    0,    13,   'I',  'D',  'A',  'T',  0x78, 1,    1,    2,
                          0,    0xfd, 0xff, 0,    200,                     // data
                          0x00, 0xca, 0x00, 0xc9, 0xad, 0x63, 0x23, 0xb2,  //
                          0,    0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};
  EXPECT_EQ(encode_png(Bytes{200}, 1, 1), expected);
}

TEST(Image, PngOfManyRowsUsesSeveralBlocks) {
  const Bytes png = encode_png(Bytes(300 * 300 * 3), 300, 300, 3);
  // Signature, three chunk frames, IHDR, zlib frame, five block headers, rows with their filter
  // bytes.
  const std::size_t rows = 300 * (300 * 3 + 1);
  EXPECT_EQ(png.size(), 8 + 3 * 12 + 13 + 6 + 5 * 5 + rows);
  EXPECT_EQ(png[25], 2);  // RGB
}

TEST(Image, Terminal) {
  const std::vector<float> pixels = {0, 0, 1, 1, 0, 1, 0, 1};
  EXPECT_EQ(to_terminal(pixels, 4, 2, {.colour = false}), " ▄▀█\n");
  EXPECT_EQ(to_terminal(std::vector<float>{1, 0, 1}, 1, 3, {.colour = false}), "▀\n▀\n");
  EXPECT_EQ(to_terminal(std::vector<float>{1, 0}, 1, 2), "\x1b[38;5;255;48;5;232m▀\x1b[0m\n");
}

TEST(Image, Refuses) {
  EXPECT_EQ(message_of([] { encode_png(Bytes(4), 2, 2, 2); }),
            "encode_png: 2 channels given, 1, 3 or 4 expected.");
  EXPECT_EQ(message_of([] { encode_png(Bytes(5), 2, 2); }),
            "encode_png: 5 values given, 2 by 2 pixels of 1 need 4.");
  EXPECT_EQ(message_of([] { encode_png(Bytes(), 0, 2); }),
            "encode_png: the size is 0 by 2, 1 to 16384 each expected.");
  EXPECT_EQ(message_of([] { to_terminal(std::vector<float>(3), 2, 2); }),
            "to_terminal: 3 values given, 2 by 2 pixels of 1 need 4.");
  EXPECT_EQ(message_of([] { write_png("/nowhere/x.png", Bytes(1), 1, 1); }),
            "write_png: '/nowhere/x.png' cannot be written.");
}

}  // namespace
}  // namespace tensorgrad::data

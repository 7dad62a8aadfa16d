// IDX files: reading, scaling, refusals.

#include "tensorgrad/data/idx.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tensorgrad/base/error.h"

namespace tensorgrad::data {
namespace {

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

class Idx : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("tensorgrad_idx_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::vector<int>& bytes) const {
    std::ofstream stream(folder_ / name, std::ios::binary);
    for (int byte : bytes) stream.put(static_cast<char>(byte));
    return (folder_ / name).string();
  }
  std::string refusal(const std::vector<int>& bytes) const {
    const std::string path = write("bad", bytes);
    const std::string start = "read_idx: '" + path + "': ";
    const std::string text = message_of([&] { read_idx(path); });
    return text.rfind(start, 0) == 0 ? text.substr(start.size()) : "(other start) " + text;
  }

  std::filesystem::path folder_;
};

TEST_F(Idx, ReadsImagesAndLabels) {
  write("t10k-images-idx3-ubyte",
        {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 51, 255, 10, 20, 30});
  write("t10k-labels.idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 2, 7, 3});
  const LabelledImages images = load_mnist(folder_.string(), Part::test);
  EXPECT_EQ(images.size(), 2);
  EXPECT_EQ(images.rows(), 1);
  EXPECT_EQ(images.columns(), 3);
  EXPECT_EQ(images.image(1)[2], 30);
  EXPECT_EQ(images.label(0), 7);
  const std::vector<std::int64_t> indices = {1, 0};
  const auto [x, y] = images.batch(indices);
  EXPECT_EQ(y, (std::vector<std::int32_t>{3, 7}));
  EXPECT_EQ(x.size(), 6u);
  EXPECT_EQ(x[3], 0.0f);
  EXPECT_EQ(x[4], 0.2f);
  EXPECT_EQ(x[5], 1.0f);
  EXPECT_EQ(message_of([&] { images.image(2); }),
            "LabelledImages: index 2 is out of range, there are 2 images.");
  EXPECT_EQ(message_of([&] { load_mnist(folder_.string(), Part::train); }),
            "load_mnist: folder '" + folder_.string() +
                "' has no file 'train-images-idx3-ubyte' or 'train-images.idx3-ubyte'.");
}

TEST_F(Idx, RefusesMalformedFiles) {
  EXPECT_EQ(refusal({}), "the file does not begin like an IDX file.");
  EXPECT_EQ(refusal({1, 0, 8, 1}), "the file does not begin like an IDX file.");
  EXPECT_EQ(refusal({0, 0, 0x0d, 1, 0, 0, 0, 0}),
            "the element type is 13, 8 (unsigned byte) expected.");
  EXPECT_EQ(refusal({0, 0, 8, 2, 0, 0, 0, 1}), "the file ends inside its header.");
  EXPECT_EQ(refusal({0, 0, 8, 1, 0, 0, 0, 2, 9}), "shape [2] needs more than the 1 bytes of data.");
  EXPECT_EQ(refusal({0, 0, 8, 1, 0, 0, 0, 1, 9, 9}),
            "shape [1] needs 1 bytes of data, the file has 2.");
  EXPECT_EQ(refusal({0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}),
            "shape [4294967295,4294967295,4294967295] needs more than the 0 bytes of data.");
  EXPECT_EQ(refusal({0x1f, 0x8b, 8, 0}),
            "the file is compressed with gzip.\n  help: unpack it with gunzip first");
  const std::string none = (folder_ / "none").string();
  EXPECT_EQ(message_of([&] { read_idx(none); }),
            "read_idx: '" + none + "' cannot be opened: No such file or directory.");
}

TEST_F(Idx, RefusesPartsThatDoNotFit) {
  EXPECT_EQ(message_of([] {
              LabelledImages({Shape{2}, {1, 2}}, {Shape{2}, {1, 2}});
            }),
            "LabelledImages: images have shape [2], rank 3 expected.");
  EXPECT_EQ(message_of([] {
              LabelledImages({Shape{1, 1, 1}, {1}}, {Shape{2}, {1, 2}});
            }),
            "LabelledImages: labels have shape [2], [1] expected for as many images.");
}

}  // namespace
}  // namespace tensorgrad::data

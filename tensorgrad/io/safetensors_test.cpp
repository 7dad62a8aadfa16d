// safetensors: what is accepted, what is refused and with which words, conversions, saving.

#include "tensorgrad/io/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

using Bytes = std::vector<std::byte>;

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

Bytes length_field(std::uint64_t length) {
  Bytes bytes(8);
  for (int i = 0; i < 8; ++i) bytes[i] = std::byte(length >> (8 * i));
  return bytes;
}

void append(Bytes& to, std::span<const std::byte> more) {
  for (std::byte byte : more) to.push_back(byte);
}

template <class T>
Bytes bytes_of(std::initializer_list<T> values) {
  Bytes bytes;
  append(bytes, std::as_bytes(std::span(values.begin(), values.size())));
  return bytes;
}

Bytes file_of(const std::string& header, const Bytes& data = {}) {
  Bytes bytes = length_field(header.size());
  append(bytes, std::as_bytes(std::span(header)));
  append(bytes, data);
  return bytes;
}

// The message without the part that each begins with.
std::string refusal(const Bytes& bytes) {
  std::string text = message_of([&] { parse_safetensors(bytes, "f"); });
  const std::string start = "load_safetensors: 'f': ";
  return text.rfind(start, 0) == 0 ? text.substr(start.size()) : "(other start) " + text;
}

std::string refusal(const std::string& header, std::size_t data_bytes = 0) {
  return refusal(file_of(header, Bytes(data_bytes)));
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  std::string text = "\"";
  text += name;
  text += R"(":{"dtype":")" + dtype;
  text += R"(","shape":)" + shape;
  text += R"(,"data_offsets":)" + offsets;
  return text + '}';
}

TEST(SafetensorsHeader, LengthIsChecked) {
  EXPECT_EQ(refusal(Bytes()), "the file has 0 bytes, at least 8 expected.");
  EXPECT_EQ(refusal(Bytes(7)), "the file has 7 bytes, at least 8 expected.");
  EXPECT_EQ(refusal(Bytes(8)), "the header does not begin with '{'.");
  Bytes with_text = length_field(12);
  append(with_text, Bytes(4, std::byte('{')));
  EXPECT_EQ(refusal(with_text),
            "the header is said to have 12 bytes, the file has 4 after the length.");
  EXPECT_EQ(refusal(length_field(1u << 31)),
            "the header is said to have 2147483648 bytes, at most 100000000 are read.");
  EXPECT_EQ(refusal(length_field(1ull << 40)),
            "the header is said to have 1099511627776 bytes, at most 100000000 are read.");
  EXPECT_EQ(refusal(length_field(~0ull)),
            "the header is said to have 18446744073709551615 bytes, at most 100000000 are read.");
  EXPECT_EQ(refusal(length_field(1000)),
            "the header is said to have 1000 bytes, the file has 0 after the length.");
}

TEST(SafetensorsHeader, TextIsChecked) {
  EXPECT_EQ(refusal("{"), "the header is not valid UTF-8 JSON, at its byte 2.");
  EXPECT_EQ(refusal(" {}"), "the header does not begin with '{'.");
  EXPECT_EQ(refusal("[]"), "the header does not begin with '{'.");
  EXPECT_EQ(refusal("{} {}"), "the header is not valid UTF-8 JSON, at its byte 4.");
  EXPECT_EQ(refusal("{\"\xff\":1}"), "the header is not valid UTF-8 JSON, at its byte 3.");
  EXPECT_EQ(refusal("{\"w\":1}"), "entry 'w' is the number 1, not an object.");
  EXPECT_EQ(refusal("{\"w\":[]}"), "entry 'w' is an array, not an object.");
  EXPECT_TRUE(parse_safetensors(file_of("{}")).tensors.empty());
  EXPECT_TRUE(parse_safetensors(file_of("{}      ")).tensors.empty());
}

TEST(SafetensorsHeader, RangesTileTheData) {
  const std::string a = "{" + entry("a", "[2]", "[0,8]") + ",";
  EXPECT_EQ(refusal(a + entry("b", "[2]", "[0,8]") + "}", 8),
            "tensor 'b': the data overlaps that of tensor 'a'.");
  EXPECT_EQ(refusal(a + entry("b", "[2]", "[4,12]") + "}", 12),
            "tensor 'b': the data overlaps that of tensor 'a'.");
  EXPECT_EQ(refusal(a + entry("b", "[2]", "[12,20]") + "}", 20),
            "tensor 'b': 4 bytes before the data belong to no tensor.");
  EXPECT_EQ(refusal(a + entry("b", "[2]", "[8,16]") + "}", 20),
            "the last 4 bytes belong to no tensor.");
  EXPECT_EQ(refusal("{}", 3), "the last 3 bytes belong to no tensor.");
  EXPECT_EQ(refusal(a + entry("b", "[2]", "[8,16]") + "}", 12),
            "tensor 'b': the data ends at byte 16, the file has 12 bytes of data.");
  EXPECT_EQ(refusal("{" + entry("a", "[2]", "[8,0]") + "}", 8),
            "tensor 'a': 'data_offsets' [8,0] are reversed.");
  EXPECT_EQ(refusal("{" + entry("a", "[2]", "[-8,0]") + "}", 8),
            "tensor 'a': 'data_offsets' cannot hold the negative number -8.");
  EXPECT_EQ(refusal("{" + entry("a", "[2]", "[0,8.5]") + "}", 8),
            "tensor 'a': 'data_offsets' cannot hold the number 8.5.");
  EXPECT_EQ(refusal("{" + entry("a", "[2]", "[0,\"8\"]") + "}", 8),
            "tensor 'a': 'data_offsets' cannot hold a string.");
  EXPECT_EQ(refusal("{" + entry("a", "[2]", "[0]") + "}", 8),
            "tensor 'a': 'data_offsets' has 1 numbers, 2 expected.");
  const Safetensors unordered = parse_safetensors(
      file_of("{" + entry("a", "[1]", "[4,8]") + "," + entry("b", "[1]", "[0,4]") + "}",
              bytes_of({1.f, 2.f})));
  EXPECT_EQ(unordered.tensors.at("a").item(), 2.0f);
  EXPECT_EQ(unordered.tensors.at("b").item(), 1.0f);
}

TEST(SafetensorsHeader, ShapeFitsTheRange) {
  EXPECT_EQ(refusal("{" + entry("w", "[1000,1000]", "[0,4]") + "}", 4),
            "tensor 'w': 'data_offsets' [0,4] hold 4 bytes, F32[1000,1000] has 4000000.");
  EXPECT_EQ(refusal("{" + entry("w", "[2,2]", "[0,12]") + "}", 12),
            "tensor 'w': 'data_offsets' [0,12] hold 12 bytes, F32[2,2] has 16.");
  EXPECT_EQ(refusal("{" + entry("w", "[-1]", "[0,4]") + "}", 4),
            "tensor 'w': 'shape' cannot hold the negative number -1.");
  EXPECT_EQ(refusal("{" + entry("w", "[1.5]", "[0,4]") + "}", 4),
            "tensor 'w': 'shape' cannot hold the number 1.5.");
  EXPECT_EQ(refusal("{" + entry("w", "[[1]]", "[0,4]") + "}", 4),
            "tensor 'w': 'shape' cannot hold an array.");
  EXPECT_EQ(refusal("{" + entry("w", "3", "[0,4]") + "}", 4),
            "tensor 'w': 'shape' cannot be the number 3.");
  EXPECT_EQ(refusal("{" + entry("w", "[18446744073709551615]", "[0,4]") + "}", 4),
            "tensor 'w': 'shape' cannot hold the number 18446744073709551615.");
  EXPECT_EQ(refusal("{" + entry("w", "[4294967296,4294967296]", "[0,4]") + "}", 4),
            "tensor 'w': F32[4294967296,4294967296] is too large.");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4),
            "tensor 'w': 'shape' is missing.");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4),
            "tensor 'w': the field 'x' is unknown, known: 'dtype', 'shape', 'data_offsets'.");
  const Array scalar =
      parse_safetensors(file_of("{" + entry("w", "[]", "[0,4]") + "}", bytes_of({7.f})))
          .tensors.at("w");
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(scalar.item(), 7.0f);
}

TEST(SafetensorsHeader, DuplicateNames) {
  EXPECT_EQ(refusal("{" + entry("w", "[1]", "[0,4]") + "," + entry("w", "[1]", "[4,8]") + "}", 8),
            "the name 'w' is duplicate.");
  EXPECT_EQ(
      refusal("{" + entry("w", "[1]", "[0,4]") + "," + entry("\\u0077", "[1]", "[4,8]") + "}", 8),
      "the name 'w' is duplicate.");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","dtype":"F32"}})"),
            "tensor 'w': 'dtype' is given twice.");
}

TEST(SafetensorsHeader, Metadata) {
  const Safetensors file = parse_safetensors(
      file_of(R"({"__metadata__":{"format":"pt","step":"3"},)" + entry("w", "[0]", "[0,0]") + "}"));
  EXPECT_EQ(file.metadata.at("format"), "pt");
  EXPECT_EQ(file.metadata.at("step"), "3");
  EXPECT_EQ(file.tensors.size(), 1u);
  EXPECT_EQ(parse_safetensors(file_of(R"({"__metadata__":{"a":"b"}})")).metadata.size(), 1u);
  EXPECT_EQ(refusal(R"({"__metadata__":{"step":3}})"),
            "entry '__metadata__': 'step' is the number 3, not a string.");
  EXPECT_EQ(refusal(R"({"__metadata__":["a"]})"),
            "entry '__metadata__' is an array, not an object.");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":"1","a":"2"}})"),
            "entry '__metadata__': 'a' is given twice.");
}

TEST(SafetensorsLoad, AnyAlignment) {
  for (std::size_t padding : {0, 1, 2, 3, 5}) {
    const std::string header = "{" + entry("mask", "[3]", "[0,3]", "U8") + "," +
                               entry("w", "[2]", "[3,11]") + "}" + std::string(padding, ' ');
    Bytes data = bytes_of<std::uint8_t>({1, 0, 255});
    append(data, bytes_of({1.5f, -2.f}));
    const ParamMap map = parse_safetensors(file_of(header, data)).tensors;
    EXPECT_EQ(map.at("w"), Array({2}, {1.5f, -2.f}));
    EXPECT_EQ(map.at("mask"), Array::from_i32({3}, {1, 0, 255}));
  }
}

TEST(SafetensorsLoad, EmptyTensorsAndScalars) {
  const ParamMap map =
      parse_safetensors(
          file_of("{" + entry("e", "[0]", "[8,8]") + "," + entry("s", "[]", "[8,12]") + "," +
                      entry("e2", "[3,0]", "[0,0]") + "," + entry("w", "[2]", "[0,8]") + "}",
                  bytes_of({1.f, 2.f, 3.f})))
          .tensors;
  EXPECT_EQ(map.at("e").shape, Shape{0});
  EXPECT_EQ(map.at("e2").shape, (Shape{3, 0}));
  EXPECT_EQ(map.at("e2").size(), 0u);
  EXPECT_EQ(map.at("s").item(), 3.0f);
}

Array load_one(const std::string& dtype, const std::string& shape, const Bytes& data) {
  return parse_safetensors(
             file_of(
                 "{" + entry("w", shape, "[0," + std::to_string(data.size()) + "]", dtype) + "}",
                 data))
      .tensors.at("w");
}

TEST(SafetensorsLoad, ConvertsOtherTypes) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(load_one("F16", "[6]",
                     bytes_of<std::uint16_t>({0x3e00, 0x0001, 0xc000, 0x7c00, 0x8000, 0x7bff})),
            Array({6}, {1.5f, 5.9604644775390625e-8f, -2.f, inf, -0.f, 65504.f}));
  EXPECT_TRUE(std::isnan(load_one("F16", "[1]", bytes_of<std::uint16_t>({0x7e00})).item()));
  EXPECT_EQ(load_one("BF16", "[3]", bytes_of<std::uint16_t>({0x3fc0, 0xc000, 0x4049})),
            Array({3}, {1.5f, -2.f, 3.140625f}));
  EXPECT_EQ(load_one("F64", "[2]", bytes_of({0.1, -std::numeric_limits<double>::infinity()})),
            Array({2}, {0.1f, -inf}));
  EXPECT_EQ(load_one("I64", "[1]", bytes_of<std::int64_t>({7})), Array::from_i32({1}, {7}));
  EXPECT_EQ(load_one("I8", "[2]", bytes_of<std::int8_t>({-1, 5})), Array::from_i32({2}, {-1, 5}));
  EXPECT_EQ(load_one("U16", "[1]", bytes_of<std::uint16_t>({65535})),
            Array::from_i32({1}, {65535}));
  EXPECT_EQ(load_one("BOOL", "[3]", bytes_of<std::uint8_t>({0, 1, 2})),
            Array::from_boolean({3}, {0, 1, 1}));
}

TEST(SafetensorsLoad, SkipsIntegersThatDoNotFit) {
  const Safetensors file = parse_safetensors(file_of(
      "{" + entry("n", "[2]", "[0,16]", "I64") + "," + entry("u", "[1]", "[16,20]", "U32") + "}",
      [] {
        Bytes data = bytes_of<std::int64_t>({1, 5000000000});
        append(data, bytes_of<std::uint32_t>({4294967295u}));
        return data;
      }()));
  EXPECT_TRUE(file.tensors.empty());
  EXPECT_EQ(file.skipped.at("n"), "I64 value 5000000000 at index 1 does not fit i32");
  EXPECT_EQ(file.skipped.at("u"), "U32 value 4294967295 at index 0 does not fit i32");
}

TEST(SafetensorsLoad, RefusesOtherTypes) {
  for (const std::string dtype : {"F8_E4M3", "f32", "Q4"}) {
    EXPECT_EQ(refusal("{" + entry("w", "[4]", "[0,4]", dtype) + "}", 4),
              "tensor 'w': dtype '" + dtype +
                  "' cannot be loaded, loadable: 'BOOL', 'U8', 'I8', 'U16', 'I16', 'U32', 'I32', "
                  "'U64', 'I64', 'F16', 'BF16', 'F32', 'F64'.");
  }
  EXPECT_EQ(refusal(file_of("{" + entry("w", "[1]", "[0,8]", "F64") + "}", bytes_of({1e300}))),
            "tensor 'w': the F64 value at index 0 does not fit f32.");
}

class SafetensorsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("tensorgrad_safetensors_" + std::to_string(std::uintptr_t(this)) +
               std::to_string(::testing::UnitTest::GetInstance()->random_seed()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::ptrdiff_t file_count() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  std::filesystem::path folder_;
};

TEST_F(SafetensorsFile, RoundTrip) {
  const ParamMap map = {{"l1.weight", Array({2, 3}, {1, 2, 3, 4, 5, -0.f})},
                        {"a mask", Array({3}, std::vector<bool>{true, false, true})},
                        {"index", Array::from_i32({2}, {-1, 1 << 30})},
                        {"empty", Array({0, 4}, std::vector<float>{})},
                        {"scalar", Array({}, {std::nanf("")})},
                        {"\"quoted\" \xc3\xa9\n", {1.f}}};
  save_safetensors(path("m.safetensors"), map, {{"step", "3"}, {"note", "\t\"x\""}});
  const Safetensors back = read_safetensors(path("m.safetensors"));
  EXPECT_EQ(back.tensors, map);
  EXPECT_EQ(back.metadata.at("note"), "\t\"x\"");
  EXPECT_EQ(back.metadata.at("step"), "3");
  EXPECT_TRUE(back.skipped.empty());
  EXPECT_EQ(load_safetensors(path("m.safetensors")), map);
  EXPECT_EQ(file_count(), 1);
  save_safetensors(path("m.safetensors"), {{"w", {2.f}}});
  EXPECT_EQ(load_safetensors(path("m.safetensors")).at("w").item(), 2.0f);
}

TEST_F(SafetensorsFile, BytesOfAFile) {
  const Bytes bytes =
      serialize_safetensors({{"m", Array({1}, std::vector<bool>{true})}, {"w", Array({1}, {1.f})}});
  std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                       R"("m":{"dtype":"BOOL","shape":[1],"data_offsets":[4,5]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(bytes, file_of(header, bytes_of<std::uint8_t>({0, 0, 0x80, 0x3f, 1})));
  EXPECT_EQ(serialize_safetensors({}), file_of("{}      "));
}

TEST_F(SafetensorsFile, RefusesToSave) {
  const std::string target = path("x.safetensors");
  const std::string start = "save_safetensors: '" + target + "'";
  EXPECT_EQ(message_of([&] {
              save_safetensors(target, {{"__metadata__", {1.f}}});
            }),
            start + ": a tensor cannot be called '__metadata__'.");
  EXPECT_EQ(message_of([&] {
              save_safetensors(target, {{"\xff", {1.f}}});
            }),
            start + ": the name of a tensor is not valid UTF-8.");
  EXPECT_EQ(message_of([&] {
              save_safetensors(target, {}, {{"\xff", ""}});
            }),
            start + ": a key of the metadata is not valid UTF-8.");
  EXPECT_EQ(message_of([&] {
              save_safetensors(target, {}, {{"k", "\xff"}});
            }),
            start + ": the metadata of 'k' is not valid UTF-8.");
  Array reshaped = {1.f, 2.f};
  reshaped.shape = {3};
  EXPECT_EQ(message_of([&] {
              save_safetensors(target, {{"w", reshaped}});
            }),
            start + ": tensor 'w': 2 values given, shape [3] has 3.");
  EXPECT_EQ(file_count(), 0);
  const std::string nowhere = path("no/x.safetensors");
  EXPECT_EQ(message_of([&] { save_safetensors(nowhere, {}); }),
            "save_safetensors: '" + nowhere + "' cannot be created.");
  std::filesystem::create_directories(folder_ / "taken" / "inside");
  const std::string taken = message_of([&] { save_safetensors(path("taken"), {}); });
  EXPECT_EQ(taken.substr(0, taken.find(": ", 20)),
            "save_safetensors: '" + path("taken") + "' cannot be written");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(SafetensorsFile, NamesTheFile) {
  EXPECT_EQ(
      message_of([&] { load_safetensors(path("none")); }),
      "load_safetensors: '" + path("none") + "' cannot be opened: No such file or directory.");
  std::ofstream(path("short")) << "abc";
  EXPECT_EQ(
      message_of([&] { load_safetensors(path("short")); }),
      "load_safetensors: '" + path("short") + "': the file has 3 bytes, at least 8 expected.");
}

// Each cut of a valid file, and each byte of its header changed, is refused or loads; nothing else
// happens.
TEST(SafetensorsLoad, DamagedFiles) {
  const Bytes good =
      serialize_safetensors({{"w", Array({2}, {1, 2})}, {"b", Array({}, {3})}}, {{"k", "v"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_safetensors(std::span(good).first(size)), UsageError) << size;
  }
  for (std::size_t at = 0; at < good.size() - 12; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = good;
      bad[at] ^= std::byte(1 << bit);
      try {
        parse_safetensors(bad);
      } catch (const UsageError&) {
      }
    }
  }
}

TEST(SafetensorsLoad, GoldenFile) {
  const ParamMap map = load_safetensors(TENSORGRAD_TEST_DIR "/golden/ops.safetensors");
  EXPECT_GT(map.size(), 1000u);
  EXPECT_EQ(map.at("sum.03/out").dtype, DType::f32);
}

}  // namespace
}  // namespace tensorgrad

// Host arrays: counts, typed access, whole messages, ways to write a ParamMap.

#include "tensorgrad/io/array.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
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

TEST(Array, HoldsFloatsOfAShape) {
  const Array array({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(array.shape, (Shape{2, 2}));
  EXPECT_EQ(array.dtype, DType::f32);
  EXPECT_TRUE(array.has_shape);
  EXPECT_EQ(array.f32()[3], 4.0f);
  static_assert(std::is_same_v<decltype(array.f32()), std::span<const float>>);
  static_assert(std::is_same_v<decltype(Array().f32()), std::vector<float>>);
}

TEST(Array, HoldsIntegersAndBooleans) {
  const Array ints({3}, std::vector<std::int32_t>{1, -2, 3});
  EXPECT_EQ(ints.dtype, DType::i32);
  EXPECT_EQ(ints.i32()[1], -2);
  const Array bools({2}, std::vector<bool>{true, false});
  EXPECT_EQ(bools.boolean()[0], 1u);
  EXPECT_EQ(bools.boolean()[1], 0u);
  EXPECT_EQ(Array::from_boolean({1}, {7}).boolean(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(Array::zeros({2, 0}, DType::i32).size(), 0u);
  EXPECT_EQ(Array::zeros({}, DType::f32).item(), 0.0f);
}

TEST(Array, ListOfFloatsHasNoShape) {
  const Array array = {1.f, 2.f, 3.f};
  EXPECT_FALSE(array.has_shape);
  EXPECT_EQ(array.shape, Shape{3});
  EXPECT_FALSE(Array().has_shape);
}

TEST(Array, WrongAccessorNamesBothTypes) {
  const Array floats = {1.f};
  EXPECT_EQ(message_of([&] { (void)floats.i32(); }), "Array: the values are f32, not i32.");
  EXPECT_EQ(message_of([&] { (void)floats.boolean(); }), "Array: the values are f32, not bool.");
  EXPECT_EQ(message_of([] { (void)Array::from_i32({1}, {1}).f32(); }),
            "Array: the values are i32, not f32.");
}

TEST(Array, RefusesCountsThatDoNotFit) {
  EXPECT_EQ(message_of([] { Array({2, 3}, {1, 2}); }), "Array: 2 values given, f32[2,3] has 6.");
  EXPECT_EQ(message_of([] { Array(Shape{-2}, std::vector<float>{}); }).substr(0, 13),
            "Array: shape ");
  EXPECT_EQ(message_of([] {
              (void)Array({2}, {1, 2}).item();
            }),
            "Array: item() of f32[2] with 2 values, 1 expected.");
}

TEST(ParamMap, IsWrittenInBraces) {
  const auto count = [](const ParamMap& map) { return map.size(); };
  EXPECT_EQ(count({{"w", {1.f, 2.f}}}), 1u);
  EXPECT_EQ(count({{"w", {1, 2}}, {"b", Array({1}, {0})}}), 2u);
  EXPECT_EQ(count({}), 0u);
  const ParamMap map = {{"b", {1.f}}, {"a", std::vector<float>{2.f}}};
  EXPECT_EQ(map.begin()->first, "a");
  EXPECT_EQ(message_of([] {
              ParamMap({{"w", {1.f}}, {"w", {2.f}}});
            }),
            "ParamMap: 'w' is given twice.");
}

TEST(ParamMap, UnknownNameListsTheKnown) {
  ParamMap map = {{"w", {1.f}}, {"b", {2.f}}};
  EXPECT_EQ(map.at("w").f32()[0], 1.0f);
  EXPECT_EQ(message_of([&] { map.at("x"); }), "ParamMap: there is no 'x', known: 'b', 'w'.");
  static_assert(std::is_same_v<decltype(ParamMap().at("w").f32()), std::vector<float>>);
}

TEST(ParamMap, Prefix) {
  const ParamMap map = with_prefix("d.", {{"w", {1.f}}, {"b", {2.f}}});
  EXPECT_EQ(map.at("d.w").item(), 1.0f);
  EXPECT_EQ(map.at("d.b").item(), 2.0f);
  EXPECT_EQ(map.size(), 2u);
}

}  // namespace
}  // namespace tensorgrad

// Random operators: types, ordinals and refusals.
#include "tensorgrad/ops/structured_test_fixture.h"

namespace tensorgrad {
namespace {

using RandomTest = StructuredTest;

TEST_F(RandomTest, EachCallHasItsOwnOrdinal) {
  uniform({2, 3});
  randn({4});
  std::vector<std::int64_t> ordinals;
  for (const ir::Node& each : trace->graph.nodes()) {
    if (each.op != ir::Opcode::random_uniform) continue;
    ordinals.push_back(std::get<ir::RandomAttrs>(each.attrs).ordinal);
  }
  EXPECT_EQ(ordinals, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST_F(RandomTest, Types) {
  EXPECT_EQ(type(uniform({2, 3})), "f32[2,3]");
  EXPECT_EQ(type(uniform({2, 3}, -1, 1)), "f32[2,3]");
  EXPECT_EQ(type(randn({})), "f32[]");
  const Tensor x = input("x", {4, 5});
  EXPECT_EQ(type(uniform_like(x)), "f32[4,5]");
  EXPECT_EQ(type(randn_like(x)), "f32[4,5]");
  EXPECT_EQ(type(categorical(x)), "i32[4]");
  EXPECT_EQ(type(categorical(input("v", {5}))), "i32[]");
}

TEST_F(RandomTest, DropoutIsTheIdentityInInference) {
  const Tensor x = input("x", {4, 5});
  EXPECT_EQ(dropout(x, 0.5).node(), x.node());
  trace->training = true;
  EXPECT_EQ(dropout(x, 0).node(), x.node());
  EXPECT_NE(dropout(x, 0.5).node(), x.node());
  EXPECT_EQ(count(ir::Opcode::random_uniform), 1);
}

TEST_F(RandomTest, Refusals) {
  const Tensor x = input("x", {4, 5}), s = input("s", {}), i = input("i", {2}, i32);
  EXPECT_EQ(message([&] { dropout(x, 1); }),
            "dropout: p is 1, a probability in [0, 1) is expected.\n  at HERE");
  EXPECT_EQ(message([&] { dropout(x, -0.5); }),
            "dropout: p is -0.5, a probability in [0, 1) is expected.\n  at HERE");
  EXPECT_EQ(message([&] { uniform({2}, 2, 1); }),
            "uniform: the bounds are 2.000000 and 1.000000, finite numbers in order are "
            "expected.\n  at HERE");
  EXPECT_EQ(message([&] {
              randn({2, any});
            }),
            "randn: the shape has the extent -1, zero or more is expected.\n  at HERE");
  EXPECT_EQ(message([&] { categorical(s); }),
            "categorical: logits is f32[], classes on the last axis are expected.\n  at HERE");
  EXPECT_EQ(message([&] { randn_like(i); }),
            "randn_like: x is i32[2], f32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, f32).");
}

TEST(RandomOutsideATrace, IsRefused) {
  EXPECT_THROW(randn({2}), UsageError);
  EXPECT_THROW(uniform({2}), UsageError);
}

}  // namespace
}  // namespace tensorgrad

#include "tensorgrad/transform/fuse_dependencies.h"

#include <gtest/gtest.h>

namespace tensorgrad::transform::fusion {
namespace {

TEST(Dependencies, ADirectReadIsNoWayAround) {
  Dependencies groups;
  groups.add_group({});
  groups.add_group({0});
  EXPECT_FALSE(groups.depends_indirectly(1, 0));
  EXPECT_FALSE(groups.depends_indirectly(0, 1));
}

TEST(Dependencies, APathThroughAnotherGroupIs) {
  Dependencies groups;
  groups.add_group({});
  groups.add_group({0});
  groups.add_group({0, 1});
  EXPECT_TRUE(groups.depends_indirectly(2, 0));
  EXPECT_FALSE(groups.depends_indirectly(2, 1));
}

TEST(Dependencies, AMergedGroupIsReachedThroughEitherPart) {
  // 3 reads 2, which becomes part of 0; 0 was founded before 1, which it now depends on.
  Dependencies groups;
  groups.add_group({});
  groups.add_group({});
  groups.add_group({1});
  groups.add_group({0});
  groups.merge(0, 2);
  EXPECT_TRUE(groups.depends_indirectly(3, 1));
  EXPECT_FALSE(groups.depends_indirectly(3, 0));
}

TEST(Dependencies, RanksRiseAlongAChain) {
  // A chain founded before what its first group comes to depend on.
  Dependencies groups;
  constexpr int kLength = 50;
  groups.add_group({});
  for (int g = 1; g < kLength; ++g) groups.add_group({g - 1});
  groups.add_group({});         // kLength
  groups.add_group({kLength});  // kLength + 1
  groups.merge(0, kLength + 1);
  EXPECT_TRUE(groups.depends_indirectly(kLength - 1, kLength));
  EXPECT_TRUE(groups.depends_indirectly(1, kLength));
  EXPECT_FALSE(groups.depends_indirectly(0, kLength));
}

}  // namespace
}  // namespace tensorgrad::transform::fusion

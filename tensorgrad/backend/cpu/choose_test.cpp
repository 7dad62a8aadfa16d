// The rule of choose.h at the sizes of the workloads.
#include "tensorgrad/backend/cpu/choose.h"

#include <gtest/gtest.h>

#include "tensorgrad/backend/cpu/dnnl_matmul.h"

namespace tensorgrad::cpu {
namespace {

GemmArgs<float> product(int64_t m, int64_t n, int64_t k, bool b_transposed = false) {
  GemmArgs<float> g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a_row = k;
  g.a_col = 1;
  g.b_row = b_transposed ? 1 : n;
  g.b_col = b_transposed ? k : 1;
  g.c_row = n;
  g.c_col = 1;
  return g;
}

TEST(ChooseTest, SmallProductsStayWhole) {
  const ContractChoice choice = choose_matmul(product(64, 10, 64));
  EXPECT_FALSE(choice.use_dnnl);
  EXPECT_EQ(choice.rows, 64);
  EXPECT_EQ(choice.cols, 10);
  const ContractChoice batch = choose_matmul(product(8, 8, 16), 100);
  EXPECT_EQ(batch.products, 100);
}

TEST(ChooseTest, RowsFirstThenColumns) {
  const ContractChoice rows = choose_matmul(product(1024, 64, 64));
  EXPECT_EQ(rows.rows, 128);
  EXPECT_EQ(rows.cols, 64);
  const ContractChoice both = choose_matmul(product(128, 512, 1024));
  EXPECT_EQ(both.rows, 64);
  EXPECT_EQ(both.cols, 64);
  const ContractChoice columns = choose_matmul(product(64, 64, 1568));
  EXPECT_EQ(columns.rows, 64);
  EXPECT_EQ(columns.cols, 32);
}

TEST(ChooseTest, BatchesAreSplitByProducts) {
  const ContractChoice many = choose_matmul(product(64, 64, 32), 64);
  EXPECT_EQ(many.products, 4);
  EXPECT_EQ(many.rows, 64);
  EXPECT_EQ(many.cols, 64);
  const ContractChoice few = choose_matmul(product(512, 512, 512), 2);
  EXPECT_EQ(few.products, 1);
  EXPECT_LT(few.rows, 512);
}

TEST(ChooseTest, OneDnnForTransposedAndLargeOperands) {
  const bool built_in = DnnlMatmul::available();
  EXPECT_EQ(prefer_dnnl(product(64, 256, 784, true)), built_in);
  EXPECT_EQ(prefer_dnnl(product(128, 1024, 1024)), built_in);
  EXPECT_FALSE(prefer_dnnl(product(128, 64, 64)));
  EXPECT_FALSE(prefer_dnnl(product(128, 64, 64, true)));
  EXPECT_FALSE(prefer_dnnl(product(256, 1, 64)));
  GemmArgs<float> part_of_rows = product(64, 64, 784, true);
  part_of_rows.c_row = 256;
  EXPECT_FALSE(prefer_dnnl(part_of_rows));
  GemmArgs<float> repeated = product(128, 1024, 1024);
  repeated.a_row = 0;
  EXPECT_FALSE(prefer_dnnl(repeated));
}

TEST(ChooseTest, ConvolutionChunks) {
  ConvShape s;
  s.batch = 64;
  s.in_channels = 16;
  s.out_channels = 32;
  s.in_size = s.out_size = {14, 14};
  s.kernel = {3, 3};
  s.padding = {1, 1};
  EXPECT_EQ(conv_images_per_chunk(s), 5);
  s.pass = ConvPass::kBackwardWeights;
  s.in_channels = s.out_channels = 512;
  EXPECT_EQ(conv_images_per_chunk(s), 32);
  s.batch = 1;
  EXPECT_EQ(conv_images_per_chunk(s), 1);
}

}  // namespace
}  // namespace tensorgrad::cpu

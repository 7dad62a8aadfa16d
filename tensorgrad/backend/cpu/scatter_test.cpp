// Scatters against the definition, bit for bit (the order of addition is fixed), for every way the
// axes can lie, and indices out of range.
#include "tensorgrad/backend/cpu/scatter.h"

#include <gtest/gtest.h>

#include "tensorgrad/backend/cpu/runner_test.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

struct Case {
  std::vector<int64_t> source;  // extents
  int axis;
  int64_t rows;
  bool varies;  // the index differs along the other axes as well
  bool base, in_place, turned;
};

int64_t product(const std::vector<int64_t>& extents) {
  int64_t out = 1;
  for (int64_t extent : extents) out *= extent;
  return out;
}

// Buffers: 0 source, 1 index, 2 destination, 3 base.
kernel::Scatter scatter_of(const Case& test) {
  kernel::Scatter scatter;
  scatter.source_extents = test.source;
  scatter.axis = test.axis;
  scatter.destination_extent = test.rows;
  const std::size_t rank = test.source.size();
  std::vector<int64_t> destination = test.source;
  destination[static_cast<std::size_t>(test.axis)] = test.rows;
  std::vector<int> order, turned;
  for (std::size_t i = 0; i < rank; ++i) order.push_back(static_cast<int>(i));
  turned.assign(order.rbegin(), order.rend());
  scatter.source = access_of(0, strides_in_order(test.source, test.turned ? turned : order));
  scatter.destination = access_of(2, strides_in_order(destination, order));
  std::vector<int64_t> index(rank, 0);
  if (test.varies)
    index = strides_in_order(test.source, order);
  else
    index[static_cast<std::size_t>(test.axis)] = 1;
  scatter.index = access_of(1, index);
  if (test.base) {
    scatter.base =
        test.in_place ? scatter.destination : access_of(3, strides_in_order(destination, turned));
  }
  return scatter;
}

template <class F>
TestBuffers<F> buffers_of(const Case& test) {
  const int64_t lanes = product(test.source) / test.source[static_cast<std::size_t>(test.axis)];
  TestBuffers<F> buffers;
  buffers.emplace_back(real_numbers<F>(product(test.source), 1));
  std::mt19937 random(2);
  std::vector<std::int32_t> index(static_cast<std::size_t>(product(test.source)));
  for (std::int32_t& i : index) {
    i = static_cast<std::int32_t>(random() % static_cast<unsigned>(test.rows));
  }
  buffers.emplace_back(index);
  buffers.emplace_back(real_numbers<F>(lanes * test.rows, 3));
  buffers.emplace_back(real_numbers<F>(lanes * test.rows, 4));
  return buffers;
}

int64_t place(const kernel::Access& access, const std::vector<int64_t>& at) {
  int64_t out = access.offset;
  for (std::size_t axis = 0; axis < at.size(); ++axis) out += at[axis] * access.strides[axis];
  return out;
}

// The next point of an index space; false after the last.
bool next(std::vector<int64_t>& at, const std::vector<int64_t>& extents) {
  for (std::size_t axis = at.size(); axis-- > 0;) {
    if (++at[axis] < extents[axis]) return true;
    at[axis] = 0;
  }
  return false;
}

template <class F>
std::vector<F> reference(const kernel::Scatter& scatter, TestBuffers<F> buffers) {
  const auto axis = static_cast<std::size_t>(scatter.axis);
  const auto& source = std::get<0>(buffers[0]);
  const auto& index = std::get<1>(buffers[1]);
  std::vector<F> out = std::get<0>(buffers[2]);
  std::vector<int64_t> extents = scatter.source_extents;
  extents[axis] = scatter.destination_extent;
  std::vector<int64_t> at(extents.size(), 0);
  do {
    F& element = out[static_cast<std::size_t>(place(scatter.destination, at))];
    if (!scatter.base) {
      element = F{0};
    } else if (scatter.base->buffer == 3) {
      element = std::get<0>(buffers[3])[static_cast<std::size_t>(place(*scatter.base, at))];
    }
  } while (next(at, extents));
  at.assign(extents.size(), 0);
  do {
    std::vector<int64_t> to = at;
    to[axis] = index[static_cast<std::size_t>(place(scatter.index, at))];
    if (to[axis] < 0 || to[axis] >= scatter.destination_extent) continue;
    out[static_cast<std::size_t>(place(scatter.destination, to))] +=
        source[static_cast<std::size_t>(place(scatter.source, at))];
  } while (next(at, scatter.source_extents));
  return out;
}

template <class F>
void check(const Case& test) {
  const kernel::Scatter scatter = scatter_of(test);
  const auto runner = make_scatter(scatter, kPrecision<F>);
  const TestBuffers<F> buffers = buffers_of<F>(test);
  const std::vector<F> expected = reference<F>(scatter, buffers);
  for (int threads : {1, 2, 3, 8}) {
    TestBuffers<F> run = buffers;
    EXPECT_FALSE(run_kernel<F>(*runner, run, threads));
    EXPECT_TRUE(same_bits(std::get<0>(run[2]), expected)) << threads << " threads";
  }
}

TEST(ScatterTest, EveryWayTheAxesCanLie) {
  const std::vector<std::pair<std::vector<int64_t>, int>> shapes{
      {{7}, 0},       {{5, 3}, 0},      {{5, 3}, 1},    {{4, 6, 5}, 1},    {{300, 40}, 0},
      {{40, 300}, 1}, {{3, 50, 70}, 1}, {{1000, 3}, 0}, {{20, 30, 40}, 2}, {{64, 8, 33}, 0}};
  for (const auto& [source, axis] : shapes) {
    for (int64_t rows : {1, 4, 90}) {
      for (int bits = 0; bits < 16; ++bits) {
        const Case test{source,          axis,           rows, (bits & 1) != 0, (bits & 2) != 0,
                        (bits & 4) != 0, (bits & 8) != 0};
        SCOPED_TRACE("rank " + std::to_string(source.size()) + " rows " + std::to_string(rows) +
                     " bits " + std::to_string(bits));
        check<float>(test);
        check<double>(test);
      }
    }
  }
}

TEST(ScatterTest, EmbeddingGradient) {
  check<float>({{1024, 128}, 0, 65, false, false, false, false});
  check<float>({{1024, 128}, 0, 65, false, true, true, false});
}

TEST(ScatterTest, ManyTermsInBuckets) {
  for (int64_t rows : {1, 5, 1000, 100000}) {
    check<float>({{70000}, 0, rows, false, false, false, false});
    check<double>({{70000, 3}, 0, rows, false, true, false, true});
  }
}

TEST(ScatterTest, IndicesOutOfRangeAreReportedAndSkipped) {
  for (int64_t terms : {9, 1000, 70000}) {
    for (int64_t lanes : {1, 32}) {
      const Case test{{terms, lanes}, 0, 8, false, false, false, false};
      const kernel::Scatter scatter = scatter_of(test);
      TestBuffers<float> buffers = buffers_of<float>(test);
      auto& index = std::get<1>(buffers[1]);
      index[3] = 8;
      index[5] = -2;
      index[7] = 1 << 30;
      const std::vector<float> expected = reference<float>(scatter, buffers);
      const auto runner = make_scatter(scatter, backend::Precision::f32);
      for (int threads : {1, 3}) {
        TestBuffers<float> run = buffers;
        const backend::RunStatus status = run_kernel<float>(*runner, run, threads);
        EXPECT_TRUE(status.bad_index);
        EXPECT_EQ(status.kernel, 0);
        EXPECT_EQ(status.index_value, -2);
        EXPECT_EQ(status.index_bound, 8);
        EXPECT_TRUE(same_bits(std::get<0>(run[2]), expected));
      }
    }
  }
}

TEST(ScatterTest, Integers) {
  kernel::Scatter scatter = scatter_of({{6, 2}, 0, 3, false, false, false, false});
  scatter.dtype = DType::i32;
  TestBuffers<double> buffers;
  buffers.emplace_back(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  buffers.emplace_back(std::vector<std::int32_t>{2, 0, 2, 1, 1, 2});
  buffers.emplace_back(std::vector<std::int32_t>(6, 99));
  run_kernel<double>(*make_scatter(scatter, backend::Precision::f64), buffers, 2);
  EXPECT_EQ(std::get<1>(buffers[2]), (std::vector<std::int32_t>{3, 4, 16, 18, 17, 20}));
}

}  // namespace
}  // namespace tensorgrad::cpu

// Small models with results that can be worked out by hand.
#pragma once

#include <vector>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::api_test {

/// y = w x for a vector w; the gradient of sum(y) is x.
struct Scale {
  Parameter w{{3}, init::from({1, 2, 3})};
  Tensor operator()(const Tensor& x) const { return w * x; }
};

inline Tensor sum_of_scaled(const Scale& model, const Tensor& x) { return sum(model(x)); }

/// Two parameters of different rank.
struct Line {
  Parameter weight{{2, 2}, init::from({1, 2, 3, 4})};
  Parameter bias{{2}, init::zeros()};
  Tensor operator()(const Tensor& x) const { return matmul(x, weight) + bias; }
};

/// One number, one state that counts steps.
struct Counter {
  Parameter p{{}, init::zeros()};
  State count{{}, 10};
};

inline Tensor count_and_descend(const Counter& model) {
  update(model.count, model.count + 1);
  return model.p + 0;
}

inline std::vector<float> to_vector(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace tensorgrad::api_test

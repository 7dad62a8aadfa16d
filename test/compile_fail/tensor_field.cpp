// expect: a field of a class that is no layer
#include "tensorgrad/nn/module.h"
#include "tensorgrad/ops/tensor.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  tensorgrad::Tensor cached;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: this struct has a reference member
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  const Linear& l2;
};

void walk(const Model& model) { tensorgrad::collect(model); }

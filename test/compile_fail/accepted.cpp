// expect: success
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1, l2[2];
  int depth = 2;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: a bit-field, which cannot be visited
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  unsigned flag : 1;
};

void walk(const Model& model) { tensorgrad::collect(model); }

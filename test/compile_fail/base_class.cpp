// expect: this struct has a base class
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model : Linear {
  Linear l1;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: more than 64 fields
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  float table[64];
};

void walk(const Model& model) { tensorgrad::collect(model); }

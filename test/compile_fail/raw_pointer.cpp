// expect: a raw pointer as a field
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  Linear* l2 = nullptr;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: `fields` visits a temporary
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  explicit Model(int) {}
  void fields(auto&& visit) const { visit("l1", Linear{}); }
};

void walk(const Model& model) { tensorgrad::collect(model); }

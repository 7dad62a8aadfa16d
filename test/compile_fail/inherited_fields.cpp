// expect: this class inherits `fields`
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Listed {
  explicit Listed(int) {}
  void fields(auto&& visit) const { visit("l1", l1); }
  Linear l1;
};

struct Model : Listed {
  using Listed::Listed;
  Linear l2;
};

void walk(const Model& model) { tensorgrad::collect(model); }

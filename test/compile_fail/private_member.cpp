// expect: has a constructor, a private member or a virtual function
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

class Part {
  Linear l1;
};

struct Model {
  Part part;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: a field of a class that is no layer
#include <unordered_map>

#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  std::unordered_map<int, Linear> table;
};

void walk(const Model& model) { tensorgrad::collect(model); }

// expect: std::function and lambdas among them
#include <functional>

#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Model {
  Linear l1;
  std::function<int(int)> activation;
};

void walk(const Model& model) { tensorgrad::collect(model); }

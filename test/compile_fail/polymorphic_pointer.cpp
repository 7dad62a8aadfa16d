// expect: a pointer to a class with virtual functions
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Layer {
  virtual ~Layer() = default;
  void fields(auto&&) const {}
};

struct Model {
  std::unique_ptr<Layer> layer;
};

void walk(const Model& model) { tensorgrad::collect(model); }

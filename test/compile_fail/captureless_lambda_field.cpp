// expect: std::function and lambdas among them
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

template <class F>
struct Model {
  Linear l1;
  F activation;
};
template <class F>
Model(Linear, F) -> Model<F>;

void walk() {
  tensorgrad::collect(Model{Linear{}, [](int i) { return i; }});
}

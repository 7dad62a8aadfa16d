// expect: the forward cannot be called with the model and tensors
#include "tensorgrad/runtime/compile.h"

struct Model {
  tensorgrad::Parameter w{{3}};
};

void compile_it() {
  tensorgrad::compile(Model{}, [](const Model& m, int) -> tensorgrad::Tensor { return m.w; });
}

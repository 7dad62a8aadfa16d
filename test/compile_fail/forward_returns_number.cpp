// expect: the forward returns no Tensor
#include "tensorgrad/runtime/compile.h"

struct Model {
  tensorgrad::Parameter w{{3}};
};

void compile_it() {
  tensorgrad::compile(Model{}, [](const Model&) { return 1.0; });
}

// expect: a Tensor holds no numbers
#include "tensorgrad/runtime/training.h"

void step(tensorgrad::Training& train, const tensorgrad::Tensor& x) { train.step(x); }

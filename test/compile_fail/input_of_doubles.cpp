// expect: an input takes a contiguous range of float or of std::int32_t
#include "tensorgrad/runtime/training.h"

void step(tensorgrad::Training& train, const std::vector<double>& x) { train.step(x); }

// expect: this class has a constructor
#include "tensorgrad/nn/module.h"

struct Linear {
  tensorgrad::Parameter weight{{2, 3}};
};

struct Part {
  explicit Part(int) {}
  Linear l1;
};

void walk(Part& part) {
  tensorgrad::for_each_field(part, [](auto, auto&) {});
}

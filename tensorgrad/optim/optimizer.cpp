#include "tensorgrad/optim/optimizer.h"

#include <algorithm>
#include <sstream>

#include "tensorgrad/base/error.h"

namespace tensorgrad::optim {

StepScalars::StepScalars(std::span<const double> values) : size_(values.size()) {
  if (size_ > kMax) {
    throw_usage("optimizer: scalars gives " + std::to_string(size_) + " numbers, at most " +
                std::to_string(kMax) + " expected.");
  }
  std::copy(values.begin(), values.end(), values_.begin());
}

bool no_decay_for_vectors(std::string_view, const Shape& shape) { return shape.ndim() >= 2; }

void require_setting(bool ok, const char* optimizer, const char* field, double value,
                     const char* expected) {
  if (ok) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << optimizer << ": " << field << " is " << value << ", expected " << expected << '.';
  throw_usage(text.str());
}

}  // namespace tensorgrad::optim

#include "tensorgrad/optim/optimizer.h"

#include <algorithm>
#include <cmath>
#include <locale>
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
  const bool finite = std::isfinite(value);  // no setting has a use for infinity
  if (ok && finite) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << optimizer << ": " << field << " is " << value << ", expected "
       << (finite ? expected : "a finite number") << '.';
  throw_usage(text.str());
}

}  // namespace tensorgrad::optim

#include "tensorgrad/optim/optimizer.h"

#include <sstream>

#include "tensorgrad/base/error.h"

namespace tensorgrad::optim {

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

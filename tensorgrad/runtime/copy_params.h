// Copies and moving averages between parts of one object's parameters, on the device.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tensorgrad/runtime/variables.h"
#include "tensorgrad/runtime/workspace.h"

namespace tensorgrad::runtime {

/// to += tau * (from - to) for every parameter and state below two prefixes; tau = 1 copies.
class ParamCopier {
 public:
  void copy(const Variables& variables, const Workspace& workspace, const std::string& from,
            const std::string& to, double tau);

 private:
  struct Copy {
    std::unique_ptr<backend::Executable> executable;
    std::shared_ptr<backend::Memory> tau;
  };
  using Key = std::tuple<std::string, std::string, bool>;

  std::map<Key, Copy> copies_;
};

}  // namespace tensorgrad::runtime

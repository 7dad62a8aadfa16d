// One node of a graph = one value.
#pragma once

#include <cstdint>
#include <vector>

#include "tensorgrad/base/location.h"
#include "tensorgrad/base/shape.h"
#include "tensorgrad/ir/attrs.h"
#include "tensorgrad/ir/opcode.h"

namespace tensorgrad::ir {

/// Index of a node in its graph; inputs always have smaller ids.
using NodeId = std::int32_t;
inline constexpr NodeId kNoNode = -1;

struct Node {
  Opcode op = Opcode::constant;
  Type type;
  std::vector<NodeId> inputs;
  Attrs attrs;
  Location location;  // the user's line

  const Shape& shape() const { return type.shape; }
};

}  // namespace tensorgrad::ir

// A random graph from a seed: inputs, some of them parameters, a forward of random operators, its
// loss and the gradients of the loss, in some graphs a second gradient as well.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "test/support/evaluate.h"

namespace tensorgrad::test {

/// What the forward of a graph contains.
struct Traits {
  int nodes = 0;  // of the forward, sources included
  bool reduced_and_broadcast = false;
  bool permuted_or_sliced = false;
  bool size_one_axis = false;   // of an input or parameter of rank 2 or more
  bool tied_parameter = false;  // one parameter read in two places
  bool second_gradient = false;
  std::set<std::string> operators;
};

struct Sample {
  ir::Graph graph;  // outputs: the loss, then gradients
  std::vector<HostTensor> inputs;
  Traits traits;
};

/// The graph of a seed; at most `actions` operators of the generator when not negative.
Sample make_sample(std::uint64_t seed, int actions = -1);

}  // namespace tensorgrad::test

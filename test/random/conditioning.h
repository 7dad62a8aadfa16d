// How far rounding may move the results of a graph: every rounded value is multiplied by random
// factors near 1 and the graph is evaluated in float64 (Monte Carlo arithmetic). A result that this
// moves much is badly conditioned; one that float32 moves further than this is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "test/support/evaluate.h"

namespace tensorgrad::test {

/// The graph with the result of every rounded operator, every input and every inexact constant
/// multiplied by 1 + amplitude * u, u in [-1, 1] and different for every element.
ir::Graph perturbed(const ir::Graph& graph, double amplitude, std::uint64_t seed);

/// Per output and element: the largest distance from `exact` over `samples` perturbed evaluations.
std::vector<std::vector<double>> spread(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                        std::span<const HostTensor> exact, double amplitude,
                                        int samples, std::uint64_t seed, const Mode& mode);

}  // namespace tensorgrad::test

// Initial values of parameters and states. An Initializer is a rule, not data: it is kept by the
// Parameter and run once per compile, on the host in double, so that a seed gives the same bits on
// every device and machine.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorgrad/base/location.h"
#include "tensorgrad/base/philox.h"
#include "tensorgrad/base/shape.h"

namespace tensorgrad {

/// A callable that fills `out`, row-major values of the shape, drawing from the generator.
template <class F>
concept InitializerFunction = std::copy_constructible<F> && std::invocable < const F&,
        std::span<float>,
const Shape&, PhiloxGenerator& > ;

/// A rule for initial values; a cheap value type. Any InitializerFunction converts to it.
class Initializer {
 public:
  /// What a rule is made of. `check` throws UsageError for a shape the rule cannot fill.
  class Rule {
   public:
    virtual ~Rule() = default;
    virtual std::string name() const = 0;
    virtual void check(const Shape&, Location) const {}
    virtual void fill(std::span<float> out, const Shape& shape, PhiloxGenerator& random) const = 0;
  };

  /// All zeros.
  Initializer();
  explicit Initializer(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Initializer> &&
           InitializerFunction<std::decay_t<F>>)
      Initializer(F&& function)  // NOLINT: implicit, so that a lambda is an initializer
      : rule_(std::make_shared<FunctionRule<std::decay_t<F>>>(std::forward<F>(function))) {}

  /// "kaiming_uniform", "custom"; for messages and dumps.
  std::string name() const { return rule_->name(); }

  /// Throws UsageError when the rule cannot fill this shape.
  void check(const Shape& shape, Location location = Location::current()) const {
    rule_->check(shape, location);
  }

  /// The values for a shape, row-major. They depend only on the rule, the shape, `seed` and
  /// `ordinal`, the place of the parameter in the model.
  std::vector<float> values(const Shape& shape, std::uint64_t seed, std::uint64_t ordinal) const;

 private:
  template <class F>
  struct FunctionRule final : Rule {
    explicit FunctionRule(F f) : function(std::move(f)) {}
    std::string name() const override { return "custom"; }
    void fill(std::span<float> out, const Shape& shape, PhiloxGenerator& random) const override {
      std::invoke(function, out, shape, random);
    }
    F function;
  };

  std::shared_ptr<const Rule> rule_;
};

namespace init {

/// Which extent a Kaiming rule keeps the variance of.
enum class FanMode { fan_in, fan_out };

/// Number of inputs and outputs of one unit of a weight [out, in, kernel…], as PyTorch counts them.
struct Fans {
  std::int64_t in, out;
};
/// Throws UsageError for a shape of fewer than two axes.
Fans fans(const Shape& shape, const char* op = "init::fans",
          Location location = Location::current());

/// Normal values, not truncated. `std` must be finite and not negative.
Initializer normal(double mean = 0, double std = 1, Location location = Location::current());
/// Uniform values in [lo, hi).
Initializer uniform(double lo = 0, double hi = 1, Location location = Location::current());
Initializer zeros();
Initializer ones();
Initializer constant(double value);

/// Normal with std = sqrt(2 / (1 + a²)) / sqrt(fan); `a` is the slope of a leaky_relu, 0 for relu.
Initializer kaiming_normal(double a = 0, FanMode mode = FanMode::fan_in,
                           Location location = Location::current());
/// Uniform with the variance of kaiming_normal: bound = sqrt(2 / (1 + a²)) sqrt(3 / fan).
Initializer kaiming_uniform(double a = 0, FanMode mode = FanMode::fan_in,
                            Location location = Location::current());
/// Normal with std = gain sqrt(2 / (fan_in + fan_out)).
Initializer xavier_normal(double gain = 1, Location location = Location::current());
/// Uniform with bound = gain sqrt(6 / (fan_in + fan_out)).
Initializer xavier_uniform(double gain = 1, Location location = Location::current());

/// A copy of these values, row-major. Refused for a shape of another number of elements.
Initializer from(std::vector<float> data);
Initializer from(std::span<const float> data);
Initializer from(std::initializer_list<float> data);

}  // namespace init
}  // namespace tensorgrad

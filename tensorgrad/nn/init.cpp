// The rules of init.h. Every random rule draws in row-major order from one Philox stream, computes
// in double and rounds once to float.
#include "tensorgrad/nn/init.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

using Rule = Initializer::Rule;

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Refuses, in the words of `op`, a setting that is not finite.
void check_finite_setting(const char* op, const char* setting, double value, Location location) {
  if (!std::isfinite(value)) {
    throw_usage(
        std::string(op) + ": " + setting + " is " + number(value) + ", it must be a finite number.",
        location);
  }
}

void fill_normal(std::span<float> out, double mean, double std, PhiloxGenerator& random) {
  for (float& x : out) x = static_cast<float>(mean + std * random.normal());
}

void fill_uniform(std::span<float> out, double lo, double hi, PhiloxGenerator& random) {
  // Rounding to float may reach `hi`, which the range leaves out.
  const float below =
      std::nextafter(static_cast<float>(hi), -std::numeric_limits<float>::infinity());
  const float first = static_cast<float>(lo);
  for (float& x : out) {
    const float drawn = static_cast<float>(lo + (hi - lo) * random.uniform());
    x = std::max(first, std::min(drawn, below));
  }
}

struct Constant final : Rule {
  Constant(const char* name, double value) : name_(name), value_(value) {}
  std::string name() const override { return name_; }
  void fill(std::span<float> out, const Shape&, PhiloxGenerator&) const override {
    std::fill(out.begin(), out.end(), static_cast<float>(value_));
  }
  const char* name_;
  double value_;
};

struct Normal final : Rule {
  Normal(double mean, double std) : mean_(mean), std_(std) {}
  std::string name() const override { return "normal"; }
  void fill(std::span<float> out, const Shape&, PhiloxGenerator& random) const override {
    fill_normal(out, mean_, std_, random);
  }
  double mean_, std_;
};

struct Uniform final : Rule {
  Uniform(double lo, double hi) : lo_(lo), hi_(hi) {}
  std::string name() const override { return "uniform"; }
  void fill(std::span<float> out, const Shape&, PhiloxGenerator& random) const override {
    fill_uniform(out, lo_, hi_, random);
  }
  double lo_, hi_;
};

/// Kaiming and Xavier: a standard deviation from the fans, as normal or as uniform values.
struct Scaled final : Rule {
  enum class Fan { kIn, kOut, kMean };
  Scaled(const char* name, double gain, Fan fan, bool uniform)
      : name_(name), gain_(gain), fan_(fan), uniform_(uniform) {}
  std::string name() const override { return name_; }
  void check(const Shape& shape, Location location) const override {
    init::fans(shape, (std::string("init::") + name_).c_str(), location);
  }
  void fill(std::span<float> out, const Shape& shape, PhiloxGenerator& random) const override {
    const init::Fans fans = init::fans(shape);
    const double fan = fan_ == Fan::kIn    ? static_cast<double>(fans.in)
                       : fan_ == Fan::kOut ? static_cast<double>(fans.out)
                                           : (static_cast<double>(fans.in) + fans.out) / 2;
    const double std = gain_ / std::sqrt(fan);
    if (uniform_) {
      const double bound = std::sqrt(3.0) * std;
      fill_uniform(out, -bound, bound, random);
    } else {
      fill_normal(out, 0, std, random);
    }
  }
  const char* name_;
  double gain_;
  Fan fan_;
  bool uniform_;
};

struct From final : Rule {
  explicit From(std::vector<float> data) : data_(std::move(data)) {}
  std::string name() const override { return "from"; }
  void check(const Shape& shape, Location location) const override {
    if (static_cast<std::int64_t>(data_.size()) != shape.numel()) {
      throw_usage("init::from: the data has " + std::to_string(data_.size()) +
                      " values, the shape " + shape.str() + " takes " +
                      std::to_string(shape.numel()) + ".",
                  location);
    }
  }
  void fill(std::span<float> out, const Shape&, PhiloxGenerator&) const override {
    std::copy(data_.begin(), data_.end(), out.begin());
  }
  std::vector<float> data_;
};

template <class R, class... Args>
Initializer make(Args&&... args) {
  return Initializer(std::make_shared<const R>(std::forward<Args>(args)...));
}

/// PyTorch's gain of a leaky_relu with slope `a`.
double leaky_relu_gain(double a) { return std::sqrt(2 / (1 + a * a)); }

Scaled::Fan fan_of(init::FanMode mode) {
  return mode == init::FanMode::fan_in ? Scaled::Fan::kIn : Scaled::Fan::kOut;
}

}  // namespace

Initializer::Initializer() : Initializer(init::zeros()) {}

std::vector<float> Initializer::values(const Shape& shape, std::uint64_t seed,
                                       std::uint64_t ordinal) const {
  check(shape, {});
  std::vector<float> out(static_cast<std::size_t>(shape.numel()));
  PhiloxGenerator random(seed, ordinal);
  if (!out.empty()) rule_->fill(out, shape, random);
  return out;
}

namespace init {

Fans fans(const Shape& shape, const char* op, Location location) {
  if (shape.ndim() < 2) {
    throw_usage(std::string(op) + ": the shape " + shape.str() +
                    " has fewer than two axes, so it has no fan_in and fan_out.",
                location, "use init::normal or init::uniform with a scale of your own.");
  }
  std::int64_t field = 1;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) field *= shape[axis];
  return {shape[1] * field, shape[0] * field};
}

Initializer normal(double mean, double std, Location location) {
  check_finite_setting("init::normal", "mean", mean, location);
  check_finite_setting("init::normal", "std", std, location);
  if (std < 0)
    throw_usage("init::normal: std is " + number(std) + ", it must not be negative.", location);
  return make<Normal>(mean, std);
}

Initializer uniform(double lo, double hi, Location location) {
  check_finite_setting("init::uniform", "lo", lo, location);
  check_finite_setting("init::uniform", "hi", hi, location);
  if (lo > hi) {
    throw_usage("init::uniform: lo is " + number(lo) + " and hi is " + number(hi) +
                    ", lo must not be above hi.",
                location);
  }
  if (lo == hi) return make<Constant>("uniform", lo);
  return make<Uniform>(lo, hi);
}

Initializer zeros() { return make<Constant>("zeros", 0.0); }
Initializer ones() { return make<Constant>("ones", 1.0); }
Initializer constant(double value) { return make<Constant>("constant", value); }

Initializer kaiming_normal(double a, FanMode mode, Location location) {
  check_finite_setting("init::kaiming_normal", "a", a, location);
  return make<Scaled>("kaiming_normal", leaky_relu_gain(a), fan_of(mode), false);
}

Initializer kaiming_uniform(double a, FanMode mode, Location location) {
  check_finite_setting("init::kaiming_uniform", "a", a, location);
  return make<Scaled>("kaiming_uniform", leaky_relu_gain(a), fan_of(mode), true);
}

Initializer xavier_normal(double gain, Location location) {
  check_finite_setting("init::xavier_normal", "gain", gain, location);
  return make<Scaled>("xavier_normal", gain, Scaled::Fan::kMean, false);
}

Initializer xavier_uniform(double gain, Location location) {
  check_finite_setting("init::xavier_uniform", "gain", gain, location);
  return make<Scaled>("xavier_uniform", gain, Scaled::Fan::kMean, true);
}

Initializer from(std::vector<float> data) { return make<From>(std::move(data)); }
Initializer from(std::span<const float> data) {
  return make<From>(std::vector<float>(data.begin(), data.end()));
}
Initializer from(std::initializer_list<float> data) { return make<From>(std::vector<float>(data)); }

}  // namespace init
}  // namespace tensorgrad

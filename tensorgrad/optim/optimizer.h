// Optimizers: an optimizer is a plain struct that writes its update in tensor operators; fusion
// makes it one kernel over each contiguous run of parameters. `Optimizer` holds any of them by
// value.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorgrad/ops/tensor.h"
#include "tensorgrad/optim/schedule.h"

namespace tensorgrad::optim {

/// Says whether weight decay applies to a parameter; empty: to all, as PyTorch does.
using DecayFilter = std::function<bool(std::string_view name, const Shape& shape)>;

/// Decay for matrices and larger, none for vectors and scalars (biases, norms): the usual filter.
bool no_decay_for_vectors(std::string_view name, const Shape& shape);

/// The numbers of one step; at most eight, held in place so that a step allocates nothing.
class StepScalars {
 public:
  static constexpr std::size_t kMax = 8;
  /// Throws UsageError for more than kMax numbers.
  StepScalars(std::initializer_list<double> values)  // NOLINT: implicit
      : StepScalars(std::span<const double>(values.begin(), values.size())) {}
  StepScalars(const std::vector<double>& values)  // NOLINT: implicit
      : StepScalars(std::span<const double>(values)) {}
  explicit StepScalars(std::span<const double> values);

  std::size_t size() const { return size_; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.begin() + static_cast<std::ptrdiff_t>(size_); }

 private:
  std::array<double, kMax> values_{};
  std::size_t size_ = 0;
};

/// What an update is given: flat tensors of one run of parameters, all of one shape [n].
struct UpdateInput {
  Tensor parameter;
  Tensor gradient;              // clipped
  std::vector<Tensor> moments;  // as many as the optimizer declares
  std::vector<Tensor> scalars;  // what `scalars` returned for this step, each of shape []
  bool decay = true;            // weight decay applies to this run
};

/// The new values, of the same shapes.
struct UpdateResult {
  Tensor parameter;
  std::vector<Tensor> moments;
};

/// A struct is an optimizer when it has a rate and these functions.
/// `moments()`: how many moments it keeps per parameter, all starting at zero.
/// `scalars(step, rate)`: the numbers that change from step to step (the rate, bias corrections)
/// for
///   update `step` = 0, 1, …; always equally many.
/// `update(input)`: the new values, elementwise in tensor operators.
template <class O>
concept OptimizerLike = requires(const O& o, const UpdateInput& input) {
  { o.lr } -> std::convertible_to<Schedule>;
  { o.moments() } -> std::convertible_to<int>;
  { o.scalars(std::int64_t{}, double{}) } -> std::convertible_to<StepScalars>;
  { o.update(input) } -> std::convertible_to<UpdateResult>;
};

/// Any optimizer, by value.
class Optimizer {
 public:
  /// No optimizer: `step` computes loss and gradients only.
  Optimizer() = default;

  template <class O>
  requires(!std::same_as<std::remove_cvref_t<O>, Optimizer> && OptimizerLike<O>)
      Optimizer(O optimizer)  // NOLINT: implicit
      : Optimizer(std::make_shared<Model<O>>(std::move(optimizer))) {}

  explicit operator bool() const { return self_ != nullptr; }
  const Schedule& lr() const { return lr_; }
  /// Replaces the rate.
  void set_lr(Schedule lr) { lr_ = std::move(lr); }
  int moments() const { return self_->moments(); }
  StepScalars scalars(std::int64_t step, double rate) const { return self_->scalars(step, rate); }
  UpdateResult update(const UpdateInput& input) const { return self_->update(input); }
  /// Whether weight decay applies to the parameter.
  bool decays(std::string_view name, const Shape& shape) const {
    return self_->decays(name, shape);
  }
  /// Throws UsageError for a setting out of range.
  void check() const { self_->check(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual int moments() const = 0;
    virtual StepScalars scalars(std::int64_t step, double rate) const = 0;
    virtual UpdateResult update(const UpdateInput& input) const = 0;
    virtual bool decays(std::string_view name, const Shape& shape) const = 0;
    virtual void check() const = 0;
    virtual Schedule lr() const = 0;
  };
  template <class O>
  struct Model final : Interface {
    explicit Model(O value) : optimizer(std::move(value)) {}
    int moments() const override { return optimizer.moments(); }
    StepScalars scalars(std::int64_t step, double rate) const override {
      return optimizer.scalars(step, rate);
    }
    UpdateResult update(const UpdateInput& input) const override { return optimizer.update(input); }
    bool decays(std::string_view name, const Shape& shape) const override {
      if constexpr (requires { optimizer.decay_filter; }) {
        return !optimizer.decay_filter || optimizer.decay_filter(name, shape);
      } else {
        return true;
      }
    }
    void check() const override {
      if constexpr (requires { optimizer.check(); }) optimizer.check();
    }
    Schedule lr() const override { return optimizer.lr; }
    O optimizer;
  };
  explicit Optimizer(std::shared_ptr<const Interface> self)
      : self_(std::move(self)), lr_(self_->lr()) {}

  std::shared_ptr<const Interface> self_;
  Schedule lr_;
};

/// Throws UsageError "optimizer: field is value, expected …" unless `ok`; for `check` functions.
void require_setting(bool ok, const char* optimizer, const char* field, double value,
                     const char* expected);

}  // namespace tensorgrad::optim

// A model together with a function of it, behind one interface: the only part of a compile that is
// a template. Everything after it is ordinary code of the library.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorgrad/nn/module.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad::runtime {

/// The most inputs that a forward can take.
inline constexpr int kMaxInputs = 16;

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// A forward that can be traced again and again.
class ForwardFunction {
 public:
  virtual ~ForwardFunction() = default;
  virtual const ModelFields& fields() const = 0;
  /// Numbers of inputs it can be called with.
  virtual std::span<const int> arities() const = 0;
  /// Calls it inside the open trace; `inputs` are as many as one of `arities`.
  virtual NamedTensors call(std::span<const Tensor> inputs) = 0;
};

namespace forward_internal {

template <std::size_t>
using TensorAt = Tensor;

template <class F, class M, class Indices>
inline constexpr bool kInvocable = false;
template <class F, class M, std::size_t... I>
inline constexpr bool kInvocable<F, M, std::index_sequence<I...>> =
    std::is_invocable_v<F&, const M&, TensorAt<I>...>;
template <class F, class M, int N>
inline constexpr bool kTakes = kInvocable<F, M, std::make_index_sequence<N>>;

/// Inputs after the model, read from the signature; -1 for generic or overloaded callables.
template <class S>
inline constexpr int kSignature = -1;
template <class R, class... A>
inline constexpr int kSignature<R (*)(A...)> = static_cast<int>(sizeof...(A)) - 1;
template <class R, class... A>
inline constexpr int kSignature<R (*)(A...) noexcept> = static_cast<int>(sizeof...(A)) - 1;
template <class C, class R, class... A>
inline constexpr int kSignature<R (C::*)(A...)> = static_cast<int>(sizeof...(A));
template <class C, class R, class... A>
inline constexpr int kSignature<R (C::*)(A...) const> = static_cast<int>(sizeof...(A));
template <class C, class R, class... A>
inline constexpr int kSignature<R (C::*)(A...) noexcept> = static_cast<int>(sizeof...(A));
template <class C, class R, class... A>
inline constexpr int kSignature<R (C::*)(A...) const noexcept> = static_cast<int>(sizeof...(A));

template <class F>
constexpr int signature() {
  if constexpr (requires { &F::operator(); }) {
    return kSignature<decltype(&F::operator())> - 1;
  } else {
    return kSignature<F>;
  }
}

/// For a callable with one signature only that number of inputs is tried, so that the body of a
/// lambda is instantiated once.
template <class F, class M>
constexpr auto find_arities() {
  std::array<bool, kMaxInputs + 1> takes{};
  constexpr int kOnly = signature<F>();
  if constexpr (kOnly >= 0) {
    if constexpr (kOnly <= kMaxInputs) takes[kOnly] = kTakes<F, M, kOnly>;
  } else {
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      ((takes[N] = kTakes<F, M, static_cast<int>(N)>), ...);
    }
    (std::make_index_sequence<kMaxInputs + 1>{});
  }
  return takes;
}

template <class R>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;
template <class T, std::size_t N>
inline constexpr bool kIsTuple<std::array<T, N>> = true;

template <class T>
void add_output(std::string name, const T& value, NamedTensors& to) {
  static_assert(std::is_convertible_v<const T&, Tensor>,
                "tensorgrad: a forward returns a Tensor, or a std::tuple, std::array or plain "
                "struct of Tensors; a part of what this one returns is no Tensor.");
  if constexpr (std::is_convertible_v<const T&, Tensor>) {
    to.emplace_back(std::move(name), static_cast<Tensor>(value));
  }
}

template <class R>
void collect_outputs(const R& result, NamedTensors& to) {
  if constexpr (std::is_convertible_v<const R&, Tensor>) {
    add_output("0", result, to);
  } else if constexpr (kIsTuple<R>) {
    static_assert(std::tuple_size_v<R> > 0, "tensorgrad: the forward returns no Tensor.");
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add_output(std::to_string(I), std::get<I>(result), to), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<R>>{});
  } else {
    constexpr bool kStruct = std::is_class_v<R> && std::is_aggregate_v<R>;
    static_assert(kStruct && !std::is_empty_v<R>,
                  "tensorgrad: the forward returns no Tensor; return a Tensor, or a std::tuple, "
                  "std::array or plain struct of Tensors.");
    if constexpr (kStruct && !std::is_empty_v<R>) {
      for_each_field(result, [&](std::string_view name, const auto& field) {
        add_output(std::string(name), field, to);
      });
    }
  }
}

template <class F, class M>
class BoundForward final : public ForwardFunction {
 public:
  BoundForward(std::shared_ptr<const M> model, std::shared_ptr<F> forward)
      : model_(std::move(model)), forward_(std::move(forward)), fields_(collect(*model_)) {
    for (int n = 0; n <= kMaxInputs; ++n) {
      if (kTakesN[static_cast<std::size_t>(n)]) arities_.push_back(n);
    }
  }

  const ModelFields& fields() const override { return fields_; }
  std::span<const int> arities() const override { return arities_; }
  NamedTensors call(std::span<const Tensor> inputs) override {
    NamedTensors outputs;
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      ((inputs.size() == N && call_with<N>(inputs, outputs)) || ...);
    }
    (std::make_index_sequence<kMaxInputs + 1>{});
    return outputs;
  }

 private:
  static constexpr auto kTakesN = find_arities<F, M>();
  static constexpr bool kTakesAny = [] {
    for (bool takes : kTakesN) {
      if (takes) return true;
    }
    return false;
  }();
  static_assert(kTakesAny,
                "tensorgrad: the forward cannot be called with the model and tensors; it takes "
                "(const Model&, tg::Tensor, …), one Tensor per declared input, at most 16.");

  template <std::size_t N>
  bool call_with([[maybe_unused]] std::span<const Tensor> inputs,
                 [[maybe_unused]] NamedTensors& outputs) {
    if constexpr (kTakesN[N]) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        collect_outputs(std::invoke(*forward_, std::as_const(*model_), inputs[I]...), outputs);
      }
      (std::make_index_sequence<N>{});
      return true;
    }
    return false;
  }

  std::shared_ptr<const M> model_;
  std::shared_ptr<F> forward_;
  ModelFields fields_;
  std::vector<int> arities_;
};

}  // namespace forward_internal

/// The same function of another model of the same class: the pointer is to the model's class.
using Binder = std::function<std::shared_ptr<ForwardFunction>(std::shared_ptr<const void> model)>;

/// A binder for a callable that std::invoke accepts with a model and Tensors.
template <class M, class F>
Binder make_binder(F forward) {
  return [forward = std::make_shared<F>(std::move(forward))](
             std::shared_ptr<const void> model) -> std::shared_ptr<ForwardFunction> {
    return std::make_shared<forward_internal::BoundForward<F, M>>(
        std::static_pointer_cast<const M>(std::move(model)), forward);
  };
}

}  // namespace tensorgrad::runtime

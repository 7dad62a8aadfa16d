// The model walk: finds every Parameter and State of a model and names them by their paths. The
// templates only tell the kinds of field apart; the paths, the sharing and the refusals are in
// module.cpp, so that each type of field costs a user's compile one small function.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/nn/reflect.h"

namespace tensorgrad {

/// A parameter of a model. `aliases` are further paths to the same object through a shared_ptr.
struct ParameterField {
  std::string name;
  const Parameter* parameter = nullptr;
  std::vector<std::string> aliases;
};

struct StateField {
  std::string name;
  const State* state = nullptr;
  std::vector<std::string> aliases;
};

/// The leaves of a model in the order of its fields. The pointers are valid as long as the model is
/// neither moved nor changed.
struct ModelFields {
  std::vector<ParameterField> parameters;
  std::vector<StateField> states;
};

/// Builds a ModelFields from a walk. Used by `collect`.
class FieldWalk {
 public:
  FieldWalk();
  ~FieldWalk();
  FieldWalk(const FieldWalk&) = delete;
  FieldWalk& operator=(const FieldWalk&) = delete;

  /// Steps into a named or numbered part; every enter has its leave.
  void enter(std::string_view name);
  void enter(std::size_t index);
  void leave();

  /// Adds the leaf at the current path; UsageError when the path is taken.
  void leaf(const Parameter& parameter);
  void leaf(const State& state);

  ModelFields finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace module_internal {

template <class T>
inline constexpr bool kIsLeaf = std::is_same_v<T, Parameter> || std::is_same_v<T, State>;

template <class T>
inline constexpr bool kIsIgnored = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                   std::is_same_v<T, std::string> ||
                                   std::is_same_v<T, std::string_view> ||
                                   std::is_same_v<T, const char*> ||
                                   (std::is_pointer_v<T> &&
                                    std::is_function_v<std::remove_pointer_t<T>>);

enum class Kind { kOther, kSequence, kOptional, kPointer, kTuple, kVariant, kMap };

template <class T>
inline constexpr Kind kKind = Kind::kOther;
template <class T, class A>
inline constexpr Kind kKind<std::vector<T, A>> = Kind::kSequence;
template <class T, std::size_t N>
inline constexpr Kind kKind<std::array<T, N>> = Kind::kSequence;
template <class T, std::size_t N>
inline constexpr Kind kKind<T[N]> = Kind::kSequence;
template <class T>
inline constexpr Kind kKind<std::optional<T>> = Kind::kOptional;
template <class T, class D>
inline constexpr Kind kKind<std::unique_ptr<T, D>> = Kind::kPointer;
template <class T>
inline constexpr Kind kKind<std::shared_ptr<T>> = Kind::kPointer;
template <class... T>
inline constexpr Kind kKind<std::tuple<T...>> = Kind::kTuple;
template <class A, class B>
inline constexpr Kind kKind<std::pair<A, B>> = Kind::kTuple;
template <class... T>
inline constexpr Kind kKind<std::variant<T...>> = Kind::kVariant;
template <class T, class C, class A>
inline constexpr Kind kKind<std::map<std::string, T, C, A>> = Kind::kMap;

template <class T>
void walk(const T& value, FieldWalk& to);

/// What for_each_field calls for the fields of a struct.
struct Visitor {
  FieldWalk& to;

  template <class F>
  void operator()(std::string_view name, const F& field) const {
    if constexpr (!kIsIgnored<std::remove_cv_t<F>>) {
      to.enter(name);
      walk(field, to);
      to.leave();
    }
  }
  template <class F>
  requires(!std::is_lvalue_reference_v<F>) void operator()(std::string_view, F&&) const {
    static_assert(
        std::is_lvalue_reference_v<F>,
        "tensorgrad: `fields` visits a temporary, which the forward could not meet again; "
        "visit the member itself.");
  }
};

template <class T>
void walk_element(const T& element, std::size_t index, FieldWalk& to) {
  to.enter(index);
  walk(element, to);
  to.leave();
}

template <class T>
void walk_sequence(const T& sequence, FieldWalk& to) {
  using Element = std::remove_cvref_t<decltype(*std::begin(sequence))>;
  if constexpr (!kIsIgnored<Element>) {
    std::size_t index = 0;
    for (const auto& element : sequence) walk_element(element, index++, to);
  }
}

template <class T>
void walk_class(const T& object, FieldWalk& to) {
  constexpr bool kWalkable =
      std::is_class_v<T> && (reflect_internal::ListsFields<T> || std::is_aggregate_v<T>);
  static_assert(!std::is_pointer_v<T>,
                "tensorgrad: a model has a raw pointer as a field; hold the object itself, a "
                "std::unique_ptr or a std::shared_ptr.");
  static_assert(
      kWalkable || std::is_pointer_v<T>,
      "tensorgrad: a model has a field of a class that is no layer and whose fields cannot "
      "be found, because it has a constructor, a private member or a virtual function "
      "(std::function and lambdas among them); list its fields: void fields(auto&& visit) "
      "const { visit(\"l1\", l1); }");
  if constexpr (kWalkable) for_each_field(object, Visitor{to});
}

template <class T>
void walk(const T& value, FieldWalk& to) {
  if constexpr (kIsLeaf<T>) {
    to.leaf(value);
  } else if constexpr (kIsIgnored<T>) {
    return;
  } else if constexpr (kKind<T> == Kind::kSequence) {
    walk_sequence(value, to);
  } else if constexpr (kKind<T> == Kind::kOptional) {
    if (value) walk(*value, to);
  } else if constexpr (kKind<T> == Kind::kPointer) {
    using Pointee = typename T::element_type;
    static_assert(
        !std::is_polymorphic_v<Pointee> || std::is_final_v<Pointee>,
        "tensorgrad: a model has a pointer to a class with virtual functions, whose fields "
        "depend on what it points to; use std::variant, or make the class final.");
    if (value) walk(*value, to);
  } else if constexpr (kKind<T> == Kind::kTuple) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (walk_element(std::get<I>(value), I, to), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (kKind<T> == Kind::kVariant) {
    if (!value.valueless_by_exception()) {
      std::visit([&](const auto& active) { walk(active, to); }, value);
    }
  } else if constexpr (kKind<T> == Kind::kMap) {
    for (const auto& [key, element] : value) Visitor{to}(key, element);
  } else {
    walk_class(value, to);
  }
}

}  // namespace module_internal

/// Names every Parameter and State of a model: "layers.0.weight". Fields may be structs, Parameter,
/// State, and the standard containers and pointers of them; numbers, enums, strings and function
/// pointers are ignored; a field of any other class does not compile. Throws UsageError for two
/// leaves of one name and for a shared_ptr cycle.
template <class M>
ModelFields collect(const M& model) {
  FieldWalk to;
  module_internal::walk(model, to);
  return to.finish();
}

/// Names and tensors of the parameters of `fields`, inside a forward.
std::vector<std::pair<std::string, Tensor>> parameters(const ModelFields& fields);

/// Names and tensors of the parameters of a model or of a part of it, inside a forward: what a
/// penalty sums over. Tied parameters come once.
template <class M>
requires(!std::is_same_v<M, ModelFields>) std::vector<std::pair<std::string, Tensor>> parameters(
    const M& model) {
  return parameters(collect(model));
}

}  // namespace tensorgrad

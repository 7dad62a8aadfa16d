// Counts the fields of an aggregate at compile time, for reflect.h. The count is the largest number
// of initialisers the aggregate accepts, searched from the limit downwards: a smaller number is
// always accepted too, except where a reference member must be initialised. A C array takes one
// initialiser per element, so arrays are found by asking how many initialisers one brace pair
// takes.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tensorgrad/nn/reflect_bindings.h"

namespace tensorgrad::reflect_internal {

/// Converts to every type, when it is never run: the body is there because constructor templates
/// of std::tuple and its like are instantiated when the compiler tries them. The index makes packs.
template <std::size_t>
struct Anything {
  template <class T>
  operator T() const {  // NOLINT: implicit
    __builtin_unreachable();
  }
};

/// Converts only to the base classes of `Derived`.
template <class Derived>
struct AnyBaseOf {
  template <class T>
  requires(std::is_base_of_v<T, Derived> && !std::is_same_v<T, Derived>) operator T()
      const {  // NOLINT: implicit
    __builtin_unreachable();
  }
};

/// Converts to nothing; only a field constructible from whatever one gives it (std::any) takes it.
struct Unconvertible {};

template <class T, std::size_t... I>
constexpr bool accepts_pack(std::index_sequence<I...>) {
  return requires { T{Anything<I>{}...}; };
}

/// Whether `T{any × before, {any × inside}, any × after}` is valid.
template <class T, std::size_t... B, std::size_t... I, std::size_t... A>
constexpr bool accepts_nested_pack(std::index_sequence<B...>, std::index_sequence<I...>,
                                   std::index_sequence<A...>) {
  return requires { T{Anything<B>{}..., {Anything<I>{}...}, Anything<A>{}...}; };
}

template <class T, std::size_t N>
inline constexpr bool kAccepts = accepts_pack<T>(std::make_index_sequence<N>{});

template <class T, std::size_t Before, std::size_t Inside, std::size_t After>
inline constexpr bool kAcceptsNested = accepts_nested_pack<T>(std::make_index_sequence<Before>{},
                                                              std::make_index_sequence<Inside>{},
                                                              std::make_index_sequence<After>{});

inline constexpr std::size_t kNoCount = static_cast<std::size_t>(-1);

/// The largest number of initialisers up to `N`, or kNoCount when not even `T{}` is valid.
template <class T, std::size_t N>
constexpr std::size_t count_initializers() {
  if constexpr (kAccepts<T, N>) {
    return N;
  } else if constexpr (N == 0) {
    return kNoCount;
  } else {
    return count_initializers<T, N - 1>();
  }
}

/// How many of the `Total` initialisers the field at initialiser `At` takes: the extent of a C
/// array (all elements of a nested one), 1 for everything else.
template <class T, std::size_t Total, std::size_t At, std::size_t Width = 2>
constexpr std::size_t field_width() {
  if constexpr (kAcceptsNested<T, At, 0, Total - At - 1>) {
    return 1;  // `{}` and one for each of the rest: no array, unless of one element
  } else if constexpr (At + Width > Total || kAcceptsNested<T, At, Width, Total - At - 1>) {
    return 1;  // a class made of `Width` arguments leaves room for all the rest, an array does not
  } else if constexpr (kAcceptsNested<T, At, Width, Total - At - Width> &&
                       !kAcceptsNested<T, At, Width, Total - At - Width + 1>) {
    return Width;
  } else {
    return field_width<T, Total, At, Width + 1>();
  }
}

template <class T, std::size_t Total, std::size_t At = 0>
constexpr std::size_t count_from() {
  if constexpr (At >= Total) {
    return 0;
  } else {
    return 1 + count_from<T, Total, At + field_width<T, Total, At>()>();
  }
}

/// Number of fields of the aggregate `T`; kNoCount when it cannot be counted.
template <class T>
constexpr std::size_t count_fields() {
  constexpr std::size_t kTotal = count_initializers<T, kMaxFields>();
  if constexpr (kTotal == kNoCount) {
    return kNoCount;
  } else {
    return count_from<T, kTotal>();
  }
}

}  // namespace tensorgrad::reflect_internal

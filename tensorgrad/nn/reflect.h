// Names and references of the fields of a plain struct: how the library finds the parameters of a
// model and the tensors of a forward's result without a base class, a macro or registration.
// C++20 has no reflection; the name of a field is read from the compiler's own spelling of a
// template argument that points at it, inside an object that is declared and never defined.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tensorgrad/nn/reflect_bindings.h"
#include "tensorgrad/nn/reflect_count.h"

namespace tensorgrad {
namespace reflect_internal {

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

template <class T>
struct Holder {
  T value;
};
/// Never defined: only the addresses of its fields are used, and only by the compiler.
template <class T>
extern const Holder<T> kAbsent;

template <std::size_t, class T>
struct FieldAddress {
  T* pointer;
};
template <class Indices, class... T>
struct FieldAddresses;
template <std::size_t... I, class... T>
struct FieldAddresses<std::index_sequence<I...>, T...> : FieldAddress<I, T>... {};

template <class T, std::size_t N>
constexpr auto field_addresses() {
  return bind_fields<N>(kAbsent<T>.value, []<class... F>(F&... fields) {
    return FieldAddresses<std::make_index_sequence<N>, F...>{{&fields}...};
  });
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// False for a reference member or a bit-field: their addresses are no constants.
template <class T, std::size_t N>
concept HasFieldAddresses = requires {
  typename std::bool_constant<(field_addresses<T, N>(), true)>;
};

template <std::size_t I, class T>
constexpr FieldAddress<I, T> nth(FieldAddress<I, T> address) {
  return address;
}

/// The compiler's spelling of `Address` is "…::name)}…" (GCC) or "….name}…" (Clang). An ordinary
/// constexpr function would be emitted at -O0 and refer to kAbsent.
template <auto Address>
consteval std::string_view field_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  std::size_t end = text.rfind('}');
  if (text[end - 1] == ')') --end;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] != ':' && text[begin - 1] != '.') --begin;
  return text.substr(begin, end - begin);
}

template <class T, std::size_t... I>
constexpr auto field_names(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      field_name<nth<I>(field_addresses<T, sizeof...(I)>())>()...};
}

/// Takes any field; what `T::fields` is asked with to learn whether it is there.
struct AnyVisitor {
  template <class F>
  void operator()(std::string_view, const F&) const {}
};

template <class T>
concept ListsFields = requires(const T& t, AnyVisitor& visit) {
  t.fields(visit);
};

template <class C, class R, class V>
C class_of(R (C::*)(V) const);
template <class T>
concept InheritsFields = requires {
  requires !std::is_same_v<T, decltype(class_of(&T::template fields<AnyVisitor&>))>;
  requires sizeof(T) != sizeof(decltype(class_of(&T::template fields<AnyVisitor&>)));
};

template <class T>
constexpr bool has_base() {
  return requires { T{AnyBaseOf<T>{}}; }
  &&!requires { T{Unconvertible{}}; };
}

/// Number of fields of an aggregate, after refusing what cannot be taken apart.
template <class T>
constexpr std::size_t checked_count() {
  static_assert(std::is_aggregate_v<T>,
                "tensorgrad: this class has a constructor, a private member or a virtual function, "
                "so its fields cannot be found; list them: void fields(auto&& visit) const { "
                "visit(\"l1\", l1); }");
  if constexpr (std::is_aggregate_v<T>) {
    static_assert(!has_base<T>(),
                  "tensorgrad: this struct has a base class, so its fields cannot be found; hold "
                  "the base as a field, or list the fields: void fields(auto&& visit) const { "
                  "visit(\"l1\", l1); }");
    static_assert(
        !kAccepts<T, kMaxFields + 1>,
        "tensorgrad: this struct has more than 64 fields, counting each element of a C "
        "array; group them in structs or use std::array, or list them: void fields(auto&& "
        "visit) const { visit(\"l1\", l1); }");
    constexpr std::size_t kCount = count_fields<T>();
    static_assert(kCount != kNoCount,
                  "tensorgrad: this struct has a reference member, which would outlive or be "
                  "shared with what it refers to; hold the object itself or a std::shared_ptr.");
    if constexpr (!has_base<T>() && !kAccepts<T, kMaxFields + 1> && kCount != kNoCount) {
      static_assert(kCount > 0 || std::is_empty_v<T>,
                    "tensorgrad: the fields of this struct cannot be counted; list them: void "
                    "fields(auto&& visit) const { visit(\"l1\", l1); }");
      static_assert(HasFieldAddresses<T, kCount>,
                    "tensorgrad: this struct has a reference member or a bit-field, which cannot "
                    "be visited; hold the object itself or a std::shared_ptr, and an ordinary bool "
                    "or int.");
      if constexpr (HasFieldAddresses<T, kCount>) return kCount;
    }
  }
  return 0;
}

}  // namespace reflect_internal

/// Names of the fields of the aggregate `T`, in order of declaration.
template <class T>
inline constexpr auto kFieldNames = reflect_internal::field_names<T>(
    std::make_index_sequence<reflect_internal::checked_count<T>()>{});

/// Calls `visit(std::string_view name, F& field)` for each field of a plain struct, in order of
/// declaration; fields of a const object are const. A class that has
/// `void fields(auto&& visit) const` is asked through it instead. Anything else does not compile.
template <class T, class Visitor>
constexpr void for_each_field(T& object, Visitor&& visit) {
  using Class = std::remove_const_t<T>;
  using namespace reflect_internal;
  if constexpr (ListsFields<Class>) {
    static_assert(!InheritsFields<Class>,
                  "tensorgrad: this class inherits `fields` and has members of its own, which it "
                  "would leave out; give it its own `fields` that also lists those of the base.");
    object.fields(visit);
  } else {
    constexpr std::size_t kCount = checked_count<Class>();
    if constexpr (kCount > 0) {
      bind_fields<kCount>(object, [&](auto&... fields) {
        std::size_t i = 0;
        (visit(kFieldNames<Class>[i++], fields), ...);
      });
    }
  }
}

}  // namespace tensorgrad

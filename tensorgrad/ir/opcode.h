// The operator set: one enum expanded from the tables, and what generic code may ask about an
// operator. Passes ask for the family and never list operators.
#pragma once

#include <cstdint>
#include <string_view>

namespace tensorgrad::ir {

enum class Opcode : std::uint8_t {
#define TG_UNARY(name, ...) name,
#define TG_UNARY_ARITHMETIC(name, ...) name,
#define TG_BINARY(name, ...) name,
#define TG_BINARY_ARITHMETIC(name, ...) name,
#define TG_COMPARE(name, ...) name,
#define TG_LOGICAL_UNARY(name, ...) name,
#define TG_LOGICAL_BINARY(name, ...) name,
#define TG_TERNARY(name, ...) name,
#define TG_SELECT(name, ...) name,
#include "tensorgrad/ir/elementwise.def"
#define TG_REDUCTION(name, ...) name,
#define TG_ARG_REDUCTION(name, ...) name,
#include "tensorgrad/ir/reduction.def"
#define TG_STRUCTURED(name, ...) name,
#include "tensorgrad/ir/structured.def"
  count
};

/// What an operator is to generic code. Elementwise: unary to select.
enum class Family : std::uint8_t {
  unary,
  binary,
  compare,
  logical_unary,
  logical_binary,
  ternary,
  select,
  reduction,
  arg_reduction,
  source,
  gather_gradients,
  convert,
  identity,
  view,
  join,
  scan,
  contract,
  window,
  index
};

/// The operator's name as users write it.
std::string_view name(Opcode op);
Family family(Opcode op);
/// One line of documentation from the table.
std::string_view doc(Opcode op);
/// True for operators that also take i32 operands (elementwise rows of the _ARITHMETIC kind,
/// comparisons, where).
bool takes_integers(Opcode op);
/// True for the elementwise families (unary to select).
bool is_elementwise(Opcode op);
/// True for reduction and arg_reduction.
bool is_reduction(Opcode op);
/// Number of operands of an elementwise operator or reduction; -1 where it varies.
int arity(Opcode op);

/// Rough cost of an elementwise operator beside a plain arithmetic one, which costs 1: functions
/// that are evaluated by range reduction and polynomials cost more. For choices about speed only.
int cost(Opcode op);

}  // namespace tensorgrad::ir

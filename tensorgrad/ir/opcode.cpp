#include "tensorgrad/ir/opcode.h"

#include <array>

namespace tensorgrad::ir {
namespace {

struct Row {
  std::string_view name;
  std::string_view doc;
  Family family;
  int arity;
  bool integers;
};

constexpr std::array<Row, static_cast<std::size_t>(Opcode::count)> kRows{{
#define TG_UNARY(name, doc, ...) {#name, doc, Family::unary, 1, false},
#define TG_UNARY_ARITHMETIC(name, doc, ...) {#name, doc, Family::unary, 1, true},
#define TG_BINARY(name, doc, ...) {#name, doc, Family::binary, 2, false},
#define TG_BINARY_ARITHMETIC(name, doc, ...) {#name, doc, Family::binary, 2, true},
#define TG_COMPARE(name, doc, ...) {#name, doc, Family::compare, 2, true},
#define TG_LOGICAL_UNARY(name, doc, ...) {#name, doc, Family::logical_unary, 1, false},
#define TG_LOGICAL_BINARY(name, doc, ...) {#name, doc, Family::logical_binary, 2, false},
#define TG_TERNARY(name, doc, ...) {#name, doc, Family::ternary, 3, false},
#define TG_SELECT(name, doc, ...) {#name, doc, Family::select, 3, true},
#include "tensorgrad/ir/elementwise.def"
#define TG_REDUCTION(name, doc, ...) {#name, doc, Family::reduction, 1, true},
#define TG_ARG_REDUCTION(name, doc, ...) {#name, doc, Family::arg_reduction, 1, true},
#include "tensorgrad/ir/reduction.def"
#define TG_STRUCTURED(name, family, doc) {#name, doc, Family::family, -1, false},
#include "tensorgrad/ir/structured.def"
}};

const Row& row(Opcode op) { return kRows[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view name(Opcode op) { return row(op).name; }
Family family(Opcode op) { return row(op).family; }
std::string_view doc(Opcode op) { return row(op).doc; }
bool takes_integers(Opcode op) { return row(op).integers; }
bool is_elementwise(Opcode op) { return family(op) <= Family::select; }
bool is_reduction(Opcode op) {
  return family(op) == Family::reduction || family(op) == Family::arg_reduction;
}
int arity(Opcode op) { return row(op).arity; }

int cost(Opcode op) {
  switch (op) {
    case Opcode::pow: return 60;
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::tan: return 25;
    case Opcode::exp:
    case Opcode::expm1:
    case Opcode::log:
    case Opcode::log1p:
    case Opcode::tanh:
    case Opcode::sigmoid:
    case Opcode::silu:
    case Opcode::erf:
    case Opcode::softplus:
    case Opcode::normal_cdf:
    case Opcode::gelu_tanh: return 10;
    default: return 1;
  }
}

}  // namespace tensorgrad::ir

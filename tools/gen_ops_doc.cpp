// Writes docs/ops.md from the operator tables:
//   gen_ops_doc > docs/ops.md          prints the page
//   gen_ops_doc --check docs/ops.md    exits with 1 when the page is not what would be printed
// It needs the tables only, so it builds without the library and before it.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Row {
  const char* name;
  const char* operands;
  const char* doc;
  std::vector<const char*> gradients = {};
  const char* range = "";
};

// clang-format off
const std::vector<Row> kElementwise = {
#define TG_UNARY(name, doc, value, gradient, range) {#name, "f32", doc, {#gradient}, #range},
#define TG_UNARY_ARITHMETIC(name, doc, value, gradient, range) \
  {#name, "f32, i32", doc, {#gradient}, #range},
#define TG_BINARY(name, doc, value, a, b, range) {#name, "f32", doc, {#a, #b}, #range},
#define TG_BINARY_ARITHMETIC(name, doc, value, a, b, range) \
  {#name, "f32, i32", doc, {#a, #b}, #range},
#define TG_COMPARE(name, doc, value) {#name, "f32, i32 to bool", doc},
#define TG_LOGICAL_UNARY(name, doc, value) {#name, "bool", doc},
#define TG_LOGICAL_BINARY(name, doc, value) {#name, "bool", doc},
#define TG_TERNARY(name, doc, value, a, b, c, range) {#name, "f32", doc, {#a, #b, #c}, #range},
#define TG_SELECT(name, doc, value, b, c, range) \
  {#name, "bool, then any", doc, {"none", #b, #c}, #range},
#include "tensorgrad/ir/elementwise.def"
};

const std::vector<Row> kReductions = {
#define TG_REDUCTION(name, doc, identity, combine, gradient, range) \
  {#name, "f32, i32", doc, {#gradient}, #range},
#define TG_ARG_REDUCTION(name, doc, better) {#name, "f32, i32 to i32", doc},
#include "tensorgrad/ir/reduction.def"
};

const std::vector<Row> kStructured = {
#define TG_STRUCTURED(name, family, doc) {#name, #family, doc},
#include "tensorgrad/ir/structured.def"
};
// clang-format on

/// A cell of a table: a bar would end it.
std::string cell(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string code(std::string_view text) { return "`" + cell(text) + "`"; }

std::string gradient_of(const Row& row) {
  std::string text;
  bool any = false;
  for (const char* gradient : row.gradients) {
    any = any || std::strcmp(gradient, "none") != 0;
    if (!text.empty()) text += "; ";
    text += std::strcmp(gradient, "none") == 0 ? "none" : code(gradient);
  }
  return any ? text : "none";
}

void write_table(std::ostream& to, const std::vector<Row>& rows) {
  to << "| name | takes | value | gradient | tested on |\n| --- | --- | --- | --- | --- |\n";
  for (const Row& row : rows) {
    std::string_view range = row.range;
    if (range.substr(0, 5) == "range") range.remove_prefix(5);
    to << "| " << code(row.name) << " | " << row.operands << " | " << cell(row.doc) << " | "
       << gradient_of(row) << " | " << range << " |\n";
  }
}

std::string page() {
  std::ostringstream to;
  to << "# Operators\n\n"
        "This page is generated from the tables in `tensorgrad/ir/elementwise.def`, "
        "`tensorgrad/ir/reduction.def` and\n`tensorgrad/ir/structured.def` by "
        "`tools/gen_ops_doc.cpp`; a test fails when it is stale. These are the operators that a "
        "graph\nconsists of. Public functions of the same names make them; all other functions of "
        "`tensorgrad/ops/` (softmax, norms, losses,\nattention, `mean`, `split`, …) are "
        "compositions that fusion puts back together.\n\n"
        "In a gradient `x`, or `a`, `b`, `c`, are the operands, `y` is the result and `dy` its "
        "cotangent. It is written in operators itself\nand can be differentiated again. "
        "`bounded` marks a slope that is finite everywhere; any other contribution is guarded so "
        "that a\nzero cotangent gives zero.\n\n"
        "## Elementwise\n\nOperands broadcast by NumPy's rule.\n\n";
  write_table(to, kElementwise);
  to << "\n## Reductions\n\nOver any axes, with or without `keepdims`. In a gradient `y` and `dy` "
        "are broadcast to the shape of `x`.\n\n";
  write_table(to, kReductions);
  to << "\n## Structured\n\nEach family shares its type rules, gradients and kernel form.\n\n"
        "| name | family | value |\n| --- | --- | --- |\n";
  for (const Row& row : kStructured) {
    to << "| " << code(row.name) << " | " << row.operands << " | " << cell(row.doc) << " |\n";
  }
  return to.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    std::cout << page();
    return 0;
  }
  if (argc != 3 || std::strcmp(argv[1], "--check") != 0) {
    std::fprintf(stderr, "usage: gen_ops_doc [--check FILE]\n");
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (found == page()) return 0;
  std::fprintf(stderr, "%s is stale; write it again: gen_ops_doc > docs/ops.md\n", argv[2]);
  return 1;
}

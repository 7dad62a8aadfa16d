// Text, JSON and Graphviz of a graph. Numbers are printed with the digits that read back to the
// same bits, independent of the locale.
#include "tensorgrad/ir/print.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace tensorgrad::ir {
namespace {

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}
std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(int value) { return std::to_string(value); }

template <class Range>
std::string list(const Range& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    text += number(value);
  }
  return text + ']';
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

/// A setting of a node: a name (empty where the value speaks for itself) and its text.
using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

template <class Table>
Field table_name(const Table& table, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= table.size()) return {"index", number(index)};
  return {"", quoted(table[static_cast<std::size_t>(index)].name)};
}

struct FieldsOf {
  const Graph& graph;
  const Node& node;

  Fields operator()(std::monostate) const { return {}; }
  Fields operator()(const SourceAttrs& a) const {
    switch (node.op) {
      case Opcode::input: return {table_name(graph.inputs, a.index)};
      case Opcode::parameter:
      case Opcode::gradient_store: return {table_name(graph.parameters, a.index)};
      case Opcode::state: return {table_name(graph.states, a.index)};
      default: return {{"index", number(a.index)}};
    }
  }
  Fields operator()(const ConstantAttrs& a) const { return {{"", number(a.value)}}; }
  Fields operator()(const LiteralAttrs& a) const {
    constexpr std::size_t kShown = 8;
    if (!a.data) return {};
    if (a.data->size() <= kShown) return {{"", list(*a.data)}};
    std::string text = list(std::vector<double>(a.data->begin(), a.data->begin() + kShown));
    text.insert(text.size() - 1, ",...");
    return {{"", text}};
  }
  Fields operator()(const AxisAttrs& a) const { return {{"axis", number(a.axis)}}; }
  Fields operator()(const AxesAttrs& a) const { return {{"axes", list(a.axes)}}; }
  Fields operator()(const NarrowAttrs& a) const {
    Fields fields{{"axis", number(a.axis)}, {"start", number(a.start)}};
    if (a.step != 1) fields.emplace_back("step", number(a.step));
    return fields;
  }
  Fields operator()(const PadAttrs& a) const {
    return {{"low", list(a.low)}, {"high", list(a.high)}, {"value", number(a.value)}};
  }
  Fields operator()(const ScanAttrs& a) const {
    Fields fields{{"axis", number(a.axis)}};
    if (a.reverse) fields.emplace_back("reverse", "true");
    return fields;
  }
  Fields operator()(const RandomAttrs& a) const { return {{"ordinal", number(a.ordinal)}}; }
  Fields operator()(const Conv2dAttrs& a) const {
    return {{"stride", list(a.stride)},
            {"padding", list(a.padding)},
            {"dilation", list(a.dilation)},
            {"groups", number(a.groups)}};
  }
  Fields operator()(const Pool2dAttrs& a) const {
    return {{"kernel", list(a.kernel)}, {"stride", list(a.stride)}, {"padding", list(a.padding)}};
  }
  Fields operator()(const RunAttrs& a) const {
    return {{"run", number(a.run)}, {"slot", number(a.slot)}};
  }
  // The rule's name belongs to a higher layer.
  Fields operator()(const CustomAttrs&) const { return {}; }
};

Fields fields_of(const Graph& graph, const Node& node) {
  return std::visit(FieldsOf{graph, node}, node.attrs);
}

const char* kind_name(RootKind kind) {
  switch (kind) {
    case RootKind::output: return "output";
    case RootKind::gradient: return "gradient";
    case RootKind::capture: return "capture";
    case RootKind::gradient_norm: return "gradient_norm";
    case RootKind::finite_check: return "finite_check";
    case RootKind::parameter_update: return "parameter_update";
    case RootKind::moment_update: return "moment_update";
    case RootKind::state_update: return "state_update";
  }
  return "?";
}

std::string root_label(const Root& root) {
  std::string text = std::string(kind_name(root.kind)) + ' ' + number(root.index);
  if (root.kind == RootKind::moment_update) text += '.' + number(root.slot);
  if (!root.name.empty()) text += ' ' + quoted(root.name);
  return text;
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr const char* kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string print_node(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::string text = '%' + number(id) + " = " + std::string(name(node.op)) + '(';
  bool first = true;
  const auto separate = [&] {
    if (!first) text += ", ";
    first = false;
  };
  for (NodeId input : node.inputs) {
    separate();
    text += '%' + number(input);
  }
  for (const auto& [field, value] : fields_of(graph, node)) {
    separate();
    text += field.empty() ? value : field + '=' + value;
  }
  return text + ") : " + node.type.str();
}

std::string print(const Graph& graph, bool locations) {
  std::string text;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
    text += print_node(graph, id);
    if (locations && graph[id].location) text += "  # " + graph[id].location.str();
    text += '\n';
  }
  for (const Root& root : graph.roots) {
    text += root_label(root) + " = %" + number(root.node) + '\n';
  }
  return text;
}

std::string to_json(const Graph& graph) {
  std::string text = "{\"nodes\": [";
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
    const Node& node = graph[id];
    if (id > 0) text += ',';
    text += "\n  {\"id\": " + number(id) + ", \"op\": " + json_string(std::string(name(node.op))) +
            ", \"dtype\": " + json_string(std::string(name(node.type.dtype))) +
            ", \"shape\": " + list(node.type.shape) + ", \"inputs\": " + list(node.inputs);
    const Fields fields = fields_of(graph, node);
    if (!fields.empty()) {
      text += ", \"attrs\": {";
      for (std::size_t k = 0; k < fields.size(); ++k) {
        if (k > 0) text += ", ";
        text += json_string(fields[k].first.empty() ? "value" : fields[k].first) + ": " +
                json_string(fields[k].second);
      }
      text += '}';
    }
    if (node.location) text += ", \"at\": " + json_string(node.location.str());
    text += '}';
  }
  text += "],\n\"roots\": [";
  for (std::size_t k = 0; k < graph.roots.size(); ++k) {
    const Root& root = graph.roots[k];
    if (k > 0) text += ',';
    text += "\n  {\"kind\": " + json_string(kind_name(root.kind)) +
            ", \"index\": " + number(root.index) + ", \"name\": " + json_string(root.name) +
            ", \"node\": " + number(root.node) + '}';
  }
  return text + "]}\n";
}

std::string to_graphviz(const Graph& graph) {
  std::string text = "digraph tensorgrad {\n  node [shape=box];\n";
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
    const Node& node = graph[id];
    std::string label(name(node.op));
    for (const auto& [field, value] : fields_of(graph, node)) {
      label += ' ' + (field.empty() ? value : field + '=' + value);
    }
    text += "  n" + number(id) + " [label=" + json_string(label + ' ' + node.type.str()) + "];\n";
    for (NodeId input : node.inputs) text += "  n" + number(input) + " -> n" + number(id) + ";\n";
  }
  for (std::size_t k = 0; k < graph.roots.size(); ++k) {
    const std::string root = "r" + std::to_string(k);
    text += "  " + root + " [shape=ellipse, label=" + json_string(root_label(graph.roots[k])) +
            "];\n  n" + number(graph.roots[k].node) + " -> " + root + ";\n";
  }
  return text + "}\n";
}

}  // namespace tensorgrad::ir

#include "test/golden_corpus.h"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "tensorgrad/io/safetensors.h"

namespace tensorgrad::test {
namespace {

using nlohmann::json;

DType dtype_of(const std::string& text) {
  if (text == "f32") return DType::f32;
  if (text == "i32") return DType::i32;
  if (text == "bool") return DType::boolean;
  throw std::runtime_error("unknown dtype '" + text + "'");
}

std::vector<double> numbers_of(const Array& array) {
  switch (array.dtype) {
    case DType::f32: return {array.f32().begin(), array.f32().end()};
    case DType::i32: return {array.i32().begin(), array.i32().end()};
    case DType::boolean: return {array.boolean().begin(), array.boolean().end()};
  }
  return {};
}

GoldenAttrs attrs_of(const json& record) {
  GoldenAttrs attrs;
  for (const auto& [name, value] : record.items()) {
    GoldenAttrs::Value& to = attrs.values[name];
    if (value.is_null()) {
      to.null = true;
    } else if (value.is_string()) {
      to.text = value.get<std::string>();
    } else if (value.is_array()) {
      to.numbers = value.get<std::vector<std::int64_t>>();
    } else if (value.is_boolean()) {
      to.number = value.get<bool>() ? 1 : 0;
    } else {
      to.number = value.get<double>();
    }
  }
  return attrs;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder)
      : tensors_(load_safetensors((folder / "ops.safetensors").string())) {}

  GoldenCase read(const json& record) const {
    GoldenCase result;
    result.id = record.at("id").get<std::string>();
    result.op = record.at("op").get<std::string>();
    result.attrs = attrs_of(record.at("attrs"));
    result.atol = record.at("atol").get<double>();
    result.rtol = record.at("rtol").get<double>();
    for (const json& input : record.at("inputs")) {
      result.inputs.push_back(declared(result.id, input));
    }
    for (const json& output : record.at("outputs")) {
      result.outputs.push_back(declared(result.id, output));
    }
    if (record.at("cotangent").is_null()) return result;
    result.grad_rtol = record.at("grad_rtol").get<double>();
    result.grad_atol = record.at("grad_atol").get<std::vector<double>>();
    const std::string cotangent = record.at("cotangent").get<std::string>();
    const bool single = result.outputs.size() == 1 && result.outputs[0].name == "out";
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      const std::string name = single ? cotangent : "ct" + std::to_string(i);
      result.cotangents.push_back({name, floats(result.id, name)});
    }
    for (const json& grad : record.at("grads")) {
      const std::string name = grad.get<std::string>();
      if (name.rfind("grad_", 0) != 0) throw std::runtime_error("gradient named '" + name + "'");
      result.grads.push_back({name.substr(5), floats(result.id, name)});
    }
    if (result.grads.size() != result.grad_atol.size()) {
      throw std::runtime_error(result.id + ": as many grad_atol as grads expected");
    }
    return result;
  }

 private:
  GoldenTensor declared(const std::string& id, const json& entry) const {
    const std::string name = entry.at("name").get<std::string>();
    const Array& array = tensors_.at(id + "/" + name);
    const Shape shape(entry.at("shape").get<std::vector<std::int64_t>>());
    if (array.shape != shape) throw std::runtime_error(id + "/" + name + ": shape differs");
    return {name, {{dtype_of(entry.at("dtype").get<std::string>()), shape}, numbers_of(array)}};
  }
  HostTensor floats(const std::string& id, const std::string& name) const {
    const Array& array = tensors_.at(id + "/" + name);
    return {{DType::f32, array.shape}, numbers_of(array)};
  }

  ParamMap tensors_;
};

}  // namespace

const GoldenAttrs::Value& GoldenAttrs::at(const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) throw std::runtime_error("attribute '" + name + "' is missing");
  return found->second;
}

std::int64_t GoldenAttrs::integer(const std::string& name) const {
  return static_cast<std::int64_t>(number(name));
}

double GoldenAttrs::number(const std::string& name) const {
  const Value& value = at(name);
  if (value.null) throw std::runtime_error("attribute '" + name + "' is null");
  return value.number;
}

const std::vector<std::int64_t>& GoldenAttrs::integers(const std::string& name) const {
  return at(name).numbers;
}

std::optional<double> GoldenAttrs::optional_number(const std::string& name) const {
  const Value& value = at(name);
  return value.null ? std::nullopt : std::optional<double>(value.number);
}

std::vector<std::int64_t> GoldenAttrs::axes(const std::string& name) const {
  return at(name).numbers;
}

std::vector<GoldenCase> read_golden_cases(const std::filesystem::path& folder) {
  std::ifstream file(folder / "ops.json");
  if (!file) throw std::runtime_error("cannot read " + (folder / "ops.json").string());
  const json records = json::parse(file);
  const Reader reader(folder);
  std::vector<GoldenCase> cases;
  for (const json& record : records) cases.push_back(reader.read(record));
  return cases;
}

}  // namespace tensorgrad::test

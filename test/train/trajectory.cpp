#include "trajectory.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tensorgrad::train_test {
namespace {

using nlohmann::json;

Schedule schedule_of(const json& record, double base) {
  const std::string type = record.at("type");
  if (type == "constant") return base;
  if (type != "cosine") throw std::runtime_error("unknown schedule " + type);
  return lr::cosine({.base = base, .steps = record.at("t_max"), .final = record.at("eta_min")});
}

template <class Adam>
Adam adam_of(const json& record, const Schedule& rate) {
  return {.lr = rate,
          .betas = {record.at("betas").at(0), record.at("betas").at(1)},
          .eps = record.at("eps"),
          .weight_decay = record.at("weight_decay")};
}

optim::Optimizer optimizer_of(const json& record, const json& schedule) {
  const std::string type = record.at("type");
  const Schedule rate = schedule_of(schedule, record.at("lr"));
  if (type == "adam") return adam_of<optim::Adam>(record, rate);
  if (type == "adamw") return adam_of<optim::AdamW>(record, rate);
  if (type != "sgd") throw std::runtime_error("unknown optimizer " + type);
  return optim::SGD{.lr = rate,
                    .momentum = record.at("momentum"),
                    .dampening = record.at("dampening"),
                    .weight_decay = record.at("weight_decay"),
                    .nesterov = record.at("nesterov")};
}

Trajectory trajectory_of(const json& record, const std::string& folder) {
  Trajectory result;
  result.id = record.at("id");
  result.steps = record.at("steps");
  result.batches = record.at("batches");
  for (const json& input : record.at("inputs")) {
    std::vector<std::int64_t> extents = input.at("shape");
    extents.erase(extents.begin());  // the batches
    result.inputs.push_back(
        {input.at("name"), Shape(extents), input.at("dtype") == "i32" ? DType::i32 : DType::f32});
  }
  for (const json& param : record.at("params")) {
    const json& atol = param.at("atol");
    result.params.push_back(
        {param.at("name"), atol.is_null() ? std::nullopt : std::optional<double>(atol)});
  }
  result.optimizer = optimizer_of(record.at("optimizer"), record.at("schedule"));
  const json& clip = record.at("clip_global_norm");
  if (!clip.is_null()) result.clip = clip.get<double>();
  result.losses = record.at("losses").get<std::vector<double>>();
  result.lrs = record.at("lrs").get<std::vector<double>>();
  result.grad_norms = record.at("grad_norms").get<std::vector<double>>();
  result.loss_rtol = record.at("loss_rtol");
  result.tensors = load_safetensors(folder + record.at("file").get<std::string>());
  return result;
}

}  // namespace

ParamMap Trajectory::below(const std::string& prefix) const {
  ParamMap result;
  for (const auto& [name, array] : tensors) {
    if (name.starts_with(prefix)) result.emplace(name.substr(prefix.size()), array);
  }
  return result;
}

Array Trajectory::batch(std::size_t place, int step) const {
  const InputDecl& input = inputs[place];
  const Array& all = tensors.at("batch/" + input.name);
  const std::size_t count = all.size() / static_cast<std::size_t>(batches);
  const std::size_t first = static_cast<std::size_t>(step % batches) * count;
  const auto cut = [&](const auto& values) {
    const auto part = values.subspan(first, count);
    return std::vector(part.begin(), part.end());
  };
  if (input.dtype == DType::i32) return Array::from_i32(input.shape, cut(all.i32()));
  return {input.shape, cut(all.f32())};
}

std::vector<Trajectory> read_trajectories() {
  const std::string folder = TENSORGRAD_TEST_DIR "/golden/trajectories/";
  std::ifstream stream(folder + "trajectories.json");
  std::vector<Trajectory> result;
  for (const json& record : json::parse(stream)) result.push_back(trajectory_of(record, folder));
  return result;
}

}  // namespace tensorgrad::train_test

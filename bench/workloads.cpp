#include "bench/workloads.h"

#include <cmath>

#include "bench/models.h"
#include "bench/workloads_internal.h"
#include "tensorgrad/base/philox.h"

namespace tensorgrad::bench {

namespace {

constexpr std::uint64_t kDataSeed = 1;

Workload make_mlp_sin(const WorkloadOptions& options) {
  Workload work{.name = "mlp_sin"};
  Array x = uniform_data({256, 1}, 0, -3.14f, 3.14f);
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(x.f32()[i]);
  work.inputs = {{"x", std::move(x)}, {"y", Array({256, 1}, std::move(y))}};
  CompileOptions compile_with = compile_options(work, options);
  compile_with.optimizer = optim::Adam{.lr = 5e-3};
  const auto loss = [](const MlpSin& m, Tensor x, Tensor y) { return mse_loss(m(x), y); };
  work.training = compile(MlpSin{}, loss, compile_with);
  return work;
}

Workload make_mnist_cnn(const WorkloadOptions& options) {
  Workload work{.name = "mnist_cnn"};
  work.inputs = {{"x", uniform_data({64, 1, 28, 28}, 0)}, {"y", index_data({64}, 1, 10)}};
  CompileOptions compile_with = compile_options(work, options);
  compile_with.optimizer = optim::AdamW{.lr = 1e-3, .weight_decay = 0.01};
  compile_with.clip_grad_norm = 1.0;
  const auto loss = [](const MnistCnn& m, Tensor x, Tensor y) { return cross_entropy(m(x), y); };
  work.training = compile(MnistCnn{}, loss, compile_with);
  return work;
}

Workload make_nerf_tiny(const WorkloadOptions& options) {
  Workload work{.name = "nerf_tiny"};
  work.inputs = {{"coordinates", uniform_data({1024, 2}, 0)}, {"rgb", uniform_data({1024, 3}, 1)}};
  CompileOptions compile_with = compile_options(work, options);
  compile_with.optimizer = optim::Adam{.lr = 1e-3};
  const auto loss = [](const NerfTiny& m, Tensor coordinates, Tensor rgb) {
    return mse_loss(m(coordinates), rgb);
  };
  work.training = compile(NerfTiny{}, loss, compile_with);
  return work;
}

Workload make_vae(const WorkloadOptions& options) {
  Workload work{.name = "vae"};
  work.inputs = {{"x", uniform_data({128, 784}, 0)}};
  CompileOptions compile_with = compile_options(work, options);
  compile_with.optimizer = optim::Adam{.lr = 1e-3};
  compile_with.clip_grad_norm = 1.0;
  const auto loss = [record = options.record](const Vae& m, Tensor x) {
    const auto [mean, log_variance] = m.encode(x);
    Tensor noise = randn({128, 8});
    if (record) noise = capture("noise", noise);
    const Tensor z = mean + exp(log_variance * 0.5) * noise;
    const Tensor error = sum(square(m.decode(z) - x));
    const Tensor divergence = sum((log_variance + 1 - square(mean) - exp(log_variance)) * -0.5);
    return (error + divergence) * (1.0 / 128);
  };
  work.training = compile(Vae{}, loss, compile_with);
  return work;
}

}  // namespace

Array uniform_data(const Shape& shape, std::uint64_t stream, float low, float high) {
  PhiloxGenerator random(kDataSeed, stream);
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (float& value : values) value = low + (high - low) * uniform_from_word(random());
  return {shape, std::move(values)};
}

Array index_data(const Shape& shape, std::uint64_t stream, std::int64_t bound) {
  PhiloxGenerator random(kDataSeed, stream);
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.numel()));
  for (std::int32_t& value : values) {
    value = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(bound));
  }
  return {shape, std::move(values)};
}

CompileOptions compile_options(const Workload& workload, const WorkloadOptions& options) {
  CompileOptions result;
  for (const auto& [name, array] : workload.inputs) {
    result.inputs.push_back({name, array.shape, array.dtype});
  }
  result.device = options.device;
  result.threads = options.threads;
  result.name = workload.name;
  return result;
}

std::vector<NamedInput> Workload::arguments() const {
  std::vector<NamedInput> result;
  for (const auto& [input, array] : inputs) result.push_back({input, array});
  return result;
}

const std::vector<std::string>& workload_names() {
  static const std::vector<std::string> names = {
      "mlp_sin", "mnist_cnn", "add_transformer", "char_gpt_small", "nerf_tiny",
      "vae",     "char_gpt",  "sgemm",           "eltwise",        "softmax"};
  return names;
}

Workload make_workload(const std::string& name, const WorkloadOptions& options) {
  if (name == "mlp_sin") return make_mlp_sin(options);
  if (name == "mnist_cnn") return make_mnist_cnn(options);
  if (name == "nerf_tiny") return make_nerf_tiny(options);
  if (name == "vae") return make_vae(options);
  if (name == "add_transformer" || name == "char_gpt_small" || name == "char_gpt") {
    return make_transformer(name, options);
  }
  if (name == "sgemm" || name == "eltwise" || name == "softmax") {
    return make_operation(name, options);
  }
  throw_usage("bench: there is no workload '" + name + "'; known are " +
              join_names(workload_names()) + ".");
}

}  // namespace tensorgrad::bench

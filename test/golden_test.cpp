// Compares every operator with the reference values of the golden corpus, value and gradient, in
// each mode of the compiler. A program of its own: TENSORGRAD_GOLDEN names another corpus of the
// format of test/golden, and the last line counts cases rather than tests.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/transform/grad.h"
#include "test/golden_ops.h"

namespace tensorgrad::test {
namespace {

/// Operators of the corpus that the library does not have yet. Every other case must run.
const std::set<std::string> kNotThereYet = {
    "conv1d",     "conv_transpose2d", "avg_pool2d", "upsample_nearest2d", "upsample_bilinear2d",
    "group_norm", "batch_norm_train", "l1_loss",    "huber_loss",         "bce_with_logits",
    "kl_div"};

struct NamedMode {
  const char* name;
  Mode mode;
};

const std::vector<NamedMode>& modes() {
  static const std::vector<NamedMode> kModes = {
      {"fused", {}},
      {"unfused", {.fused = false, .reuse_scratch = false}},
      {"f64", {.precision = backend::Precision::f64}},
      {"f64 unfused", {.fused = false, .precision = backend::Precision::f64}}};
  return kModes;
}

/// The case as a function: outputs, then the gradients that the corpus stores. Inputs are the
/// case's, then its cotangents.
std::vector<Tensor> build(const GoldenCase& record, const GoldenBuild& op,
                          const std::vector<Tensor>& inputs) {
  const std::size_t count = record.inputs.size();
  const std::vector<Tensor> own(inputs.begin(),
                                inputs.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Tensor> results = op(GoldenArgs(record, own));
  if (results.size() != record.outputs.size()) throw std::runtime_error("number of outputs");
  if (record.grads.empty()) return results;
  Tensor loss;
  for (std::size_t i = 0; i < record.outputs.size(); ++i) {
    const Tensor term = sum(results[i] * inputs[count + i]);
    loss = i == 0 ? term : loss + term;
  }
  std::vector<Tensor> to;
  for (const GoldenTensor& gradient : record.grads) {
    for (std::size_t i = 0; i < count; ++i) {
      if (record.inputs[i].name == gradient.name) to.push_back(own[i]);
    }
  }
  if (to.size() != record.grads.size()) throw std::runtime_error("gradient of an unknown input");
  for (const Tensor& gradient : grad(loss, to)) results.push_back(gradient);
  return results;
}

/// An empty text when `got` agrees with `right`, else what differs most.
std::string compare(const HostTensor& got, const HostTensor& right, double atol, double rtol) {
  if (!(got.type == right.type)) {
    return "type " + got.type.str() + ", expected " + right.type.str();
  }
  double worst = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < right.data.size(); ++i) {
    if (got.data[i] == right.data[i]) continue;
    const double bound = atol + rtol * std::fabs(right.data[i]);
    const double error = std::fabs(got.data[i] - right.data[i]);
    if (error <= bound && std::isfinite(right.data[i])) continue;
    const double size = std::isnan(error) ? HUGE_VAL : error / std::fmax(bound, 1e-300);
    if (size > worst || worst == 0) {
      worst = size;
      place = i;
    }
  }
  if (worst == 0) return {};
  char text[160];
  std::snprintf(text, sizeof text, "element %zu is %.9g, expected %.9g (%.3g times the tolerance)",
                place, got.data[place], right.data[place], worst);
  return text;
}

bool same_bits(const std::vector<HostTensor>& a, const std::vector<HostTensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].data.size() != b[i].data.size()) return false;
    if (!a[i].data.empty() &&
        std::memcmp(a[i].data.data(), b[i].data.data(), a[i].data.size() * sizeof(double)) != 0) {
      return false;
    }
  }
  return a.size() == b.size();
}

/// An empty text, or the first disagreement of one mode's results with the corpus.
std::string check_results(const GoldenCase& record, const std::vector<HostTensor>& results) {
  const std::size_t outputs = record.outputs.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    const GoldenTensor& right = record.outputs[i];
    const std::string text = compare(results[i], right.tensor, record.atol, record.rtol);
    if (!text.empty()) return right.name + ": " + text;
  }
  for (std::size_t i = 0; i < record.grads.size(); ++i) {
    const GoldenTensor& right = record.grads[i];
    const std::string text =
        compare(results[outputs + i], right.tensor, record.grad_atol[i], record.grad_rtol);
    if (!text.empty()) return "grad_" + right.name + ": " + text;
  }
  return {};
}

/// Runs a case in every mode; prints a line and returns false where one disagrees.
bool run_case(const GoldenCase& record, const GoldenBuild& op, bool show) {
  bool fine = true;
  const auto report = [&](const char* mode, const std::string& text) {
    std::printf("FAILED %s (%s): %s\n", record.id.c_str(), mode, text.c_str());
    fine = false;
  };
  std::vector<HostTensor> inputs;
  std::vector<Type> types;
  for (const auto* list : {&record.inputs, &record.cotangents}) {
    for (const GoldenTensor& input : *list) {
      inputs.push_back(input.tensor);
      types.push_back(input.tensor.type);
    }
  }
  try {
    const ir::Graph graph = trace_graph(
        [&](const std::vector<Tensor>& tensors) { return build(record, op, tensors); }, types);
    for (const NamedMode& named : modes()) {
      if (show) {
        std::printf("%s, %s\n%s\n", record.id.c_str(), named.name,
                    kernel::print(compile_program(graph, named.mode)).c_str());
      }
      try {
        const std::vector<HostTensor> results = evaluate(graph, inputs, named.mode);
        const std::string text = check_results(record, results);
        if (!text.empty()) report(named.name, text);
        if (!named.mode.fused) continue;
        Mode threaded = named.mode;
        threaded.threads = 2;
        if (!same_bits(results, evaluate(graph, inputs, threaded))) {
          report(named.name, "2 threads give other bits than 1");
        }
      } catch (const std::exception& error) {
        report(named.name, error.what());
      }
    }
  } catch (const std::exception& error) {
    report("trace", error.what());
  }
  return fine;
}

int run(const std::filesystem::path& folder, const std::string& filter, bool show) {
  const GoldenTable table = golden_table();
  int passed = 0, failed = 0, skipped = 0;
  for (const GoldenCase& record : read_golden_cases(folder)) {
    if (record.id.rfind(filter, 0) != 0) continue;
    const auto op = table.find(record.op);
    if (op != table.end()) {
      ++(run_case(record, op->second, show) ? passed : failed);
    } else if (kNotThereYet.contains(record.op)) {
      ++skipped;
    } else {
      std::printf("FAILED %s: operator '%s' is not in the table\n", record.id.c_str(),
                  record.op.c_str());
      ++failed;
    }
  }
  std::printf("%d passed, %d failed, %d skipped (op not there yet)\n", passed, failed, skipped);
  return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace tensorgrad::test

/// An optional argument is the beginning of the ids to run, and anything after it prints their
/// programs: `golden_test softmax.03 print`.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const char* folder = std::getenv("TENSORGRAD_GOLDEN");
  try {
    return tensorgrad::test::run(folder != nullptr ? folder : TENSORGRAD_TEST_DIR "/golden",
                                 argc > 1 ? argv[1] : "", argc > 2);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return EXIT_FAILURE;
  }
}

// Trains the small convolutional network on MNIST: progress while it runs, accuracy on the test
// images after each epoch, and at the end a sheet of predictions and the parameters as a file.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "bench/models.h"
#include "cli/commands.h"
#include "cli/digit_sheet.h"
#include "cli/progress.h"
#include "cli/terminal.h"

namespace tensorgrad::cli {

namespace {

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kTestBatch = 1000;
constexpr double kPeakRate = 3e-3;
constexpr std::size_t kTextExamples = 18;
constexpr std::size_t kPictureExamples = 60;

std::string find_data() {
  namespace fs = std::filesystem;
  std::vector<fs::path> tried;
  if (const char* folder = std::getenv("TENSORGRAD_DATA_DIR")) {
    tried.emplace_back(fs::path(folder) / "mnist");
  } else {
    // A build tree lies in build/<preset>, its programs in bin/ below, the data beside it.
    const fs::path program = program_folder();
    if (!program.empty()) {
      tried.emplace_back((program / ".." / ".." / "data" / "mnist").lexically_normal());
    }
    tried.emplace_back(fs::path("build") / "data" / "mnist");
  }
  std::string folders;
  for (const fs::path& folder : tried) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) return folder.string();
    folders += (folders.empty() ? "'" : " nor in '") + folder.string() + "'";
  }
  throw_usage("demo mnist: the MNIST files are not in " + folders + ".", {},
              "run scripts/fetch_data.sh, or set TENSORGRAD_DATA_DIR to the folder that has them "
              "in mnist/.");
}

/// Predicted class of every image.
std::vector<Prediction> predict(Inference& classify, const data::LabelledImages& images) {
  std::vector<Prediction> all;
  std::vector<std::int64_t> indices;
  for (std::int64_t first = 0; first < images.size(); first += kTestBatch) {
    indices.resize(static_cast<std::size_t>(std::min(kTestBatch, images.size() - first)));
    std::iota(indices.begin(), indices.end(), first);
    const data::LabelledImages::Batch batch = images.batch(indices);
    const std::vector<std::int32_t> classes = classify.run(batch.x).output.i32();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      all.push_back({.index = indices[i], .predicted = classes[i], .label = batch.y[i]});
    }
  }
  return all;
}

/// In percent.
double accuracy(std::span<const Prediction> all) {
  double right = 0;
  for (const Prediction& prediction : all) right += prediction.right() ? 1 : 0;
  return 100 * right / static_cast<double>(all.size());
}

std::string accuracy_line(double percent) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "test accuracy: %.2f %%", percent);
  return buffer;
}

TrainingOf<bench::MnistCnn> compile_training(const DemoOptions& options, std::int64_t steps) {
  const auto loss = [](const bench::MnistCnn& m, Tensor x, Tensor y) {
    return cross_entropy(m(x), y);
  };
  CompileOptions compile_with;
  compile_with.inputs = {{"x", {kBatch, 1, 28, 28}}, {"y", {kBatch}, i32}};
  compile_with.optimizer =
      optim::AdamW{.lr = lr::one_cycle({.max = kPeakRate, .steps = steps}), .weight_decay = 0.01};
  compile_with.device = device_of(options.device);
  compile_with.seed = options.seed;
  compile_with.clip_grad_norm = 1.0;
  compile_with.threads = options.threads;
  compile_with.name = "mnist_cnn";
  return compile(bench::MnistCnn{}, loss, compile_with);
}

}  // namespace

int run_demo_mnist(const DemoOptions& options) {
  const std::string folder = find_data();
  const data::LabelledImages images = data::load_mnist(folder, data::Part::train);
  const data::LabelledImages test = data::load_mnist(folder, data::Part::test);
  std::filesystem::create_directories(options.out);

  data::Batches batches(images.size(), kBatch, {.seed = options.seed});
  const std::int64_t per_epoch = batches.per_epoch();
  auto train = compile_training(options, options.epochs * per_epoch);
  auto classify =
      train.attach([](const bench::MnistCnn& m, Tensor x) { return argmax(m(x), -1); },
                   {.inputs = {{"x", {tensorgrad::any, 1, 28, 28}}}, .threads = options.threads});

  const bool live = stdout_is_terminal();
  std::printf("%lld training and %lld test images, %d epochs of %lld steps, seed %llu\n",
              static_cast<long long>(images.size()), static_cast<long long>(test.size()),
              options.epochs, static_cast<long long>(per_epoch),
              static_cast<unsigned long long>(options.seed));
  Progress progress(live, options.epochs, per_epoch, kBatch);
  std::vector<Prediction> all;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    for (std::int64_t i = 0; i < per_epoch; ++i) {
      const data::LabelledImages::Batch batch = images.batch(batches.next());
      progress.step(train.step(batch.x, batch.y).loss);
    }
    all = predict(classify, test);
    progress.line("epoch " + std::to_string(epoch + 1) + ": " + accuracy_line(accuracy(all)));
  }

  const std::filesystem::path out(options.out);
  const std::string picture = (out / "mnist_predictions.png").string();
  const std::string parameters = (out / "mnist_cnn.safetensors").string();
  write_picture(picture, test, choose_examples(all, kPictureExamples));
  save_safetensors(parameters, train.download_params(),
                   {{"model", "mnist_cnn"}, {"seed", std::to_string(options.seed)}});
  std::printf("\n%s\npicture:    %s\nparameters: %s\n%s\n",
              draw_text(test, choose_examples(all, kTextExamples), live).c_str(), picture.c_str(),
              parameters.c_str(), accuracy_line(accuracy(all)).c_str());
  return 0;
}

}  // namespace tensorgrad::cli

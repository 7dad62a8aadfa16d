// The three transformers: addition of digits, and characters in a small and a large size.
#include "bench/models.h"
#include "bench/workloads_internal.h"

namespace tensorgrad::bench {

Workload make_transformer(const std::string& name, const WorkloadOptions& options) {
  const bool addition = name == "add_transformer";
  const GptSizes sizes = addition                   ? GptSizes{12, 64, 3, 4, 8, 128, false}
                         : name == "char_gpt_small" ? GptSizes{65, 128, 4, 4, 64, 16, true}
                                                    : GptSizes{65, 384, 6, 6, 256, 64, true};
  Workload work{.name = name};
  const Shape shape{sizes.batch, sizes.length};
  work.inputs = {{"tokens", index_data(shape, 0, sizes.vocab)},
                 {"targets", index_data(shape, 1, sizes.vocab)}};
  CompileOptions compile_with = compile_options(work, options);
  compile_with.optimizer = optim::AdamW{.lr = addition ? 5e-3 : 1e-3, .weight_decay = 0.01};
  compile_with.clip_grad_norm = 1.0;

  const auto loss = [sizes, addition](const Gpt& m, Tensor tokens, Tensor targets) {
    const std::int64_t rows = sizes.batch * sizes.length;
    const Tensor logits = reshape(m(tokens), {rows, sizes.vocab});
    if (!addition) return cross_entropy(logits, flatten(targets));
    // Only the last three positions, the digits of the sum, count.
    const Tensor each = cross_entropy(logits, flatten(targets), {.reduction = Reduction::none});
    std::vector<float> mask(static_cast<std::size_t>(sizes.length), 0.0f);
    for (std::size_t i = mask.size() - 3; i < mask.size(); ++i) mask[i] = 1;
    const Tensor counted =
        reshape(each, {sizes.batch, sizes.length}) * literal(mask, {sizes.length});
    return sum(counted) * (1.0 / static_cast<double>(3 * sizes.batch));
  };
  work.training = compile(Gpt{.sizes = sizes}, loss, compile_with);
  return work;
}

}  // namespace tensorgrad::bench

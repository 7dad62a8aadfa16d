// One-thread execution and argument lists of oneDNN primitives. The OpenMP functions are looked up
// at run time, so the library itself neither links nor uses OpenMP.
#if TENSORGRAD_HAS_ONEDNN
#include "tensorgrad/backend/cpu/dnnl_internal.h"

#include "tensorgrad/base/parallel.h"
#include "tensorgrad/base/platform.h"

namespace tensorgrad::cpu {
namespace {

struct OpenMp {
  int (*max_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
};

const OpenMp& open_mp() {
  static const OpenMp functions = [] {
    OpenMp found;
    found.max_threads = reinterpret_cast<int (*)()>(find_loaded_symbol("omp_get_max_threads"));
    found.set_threads = reinterpret_cast<void (*)(int)>(find_loaded_symbol("omp_set_num_threads"));
    return found.max_threads && found.set_threads ? found : OpenMp{};
  }();
  return functions;
}

const dnnl::stream& dnnl_stream() {
  // Streams of the CPU engine hold no state that a run changes.
  static const dnnl::stream stream(dnnl_engine());
  return stream;
}

}  // namespace

OneThread::OneThread() {
  const OpenMp& functions = open_mp();
  if (functions.max_threads == nullptr) return;
  const int threads = functions.max_threads();
  if (threads == 1) return;
  previous_ = threads;
  functions.set_threads(1);
}

OneThread::~OneThread() {
  const OpenMp& functions = open_mp();
  if (previous_ != 0 && functions.set_threads != nullptr) functions.set_threads(previous_);
}

const dnnl::engine& dnnl_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::primitive_attr dnnl_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

DnnlCall::DnnlCall(dnnl::primitive primitive, const Arguments& arguments)
    : primitive_(std::make_unique<dnnl::primitive>(std::move(primitive))),
      arguments_(arguments),
      slot_count_(static_cast<size_t>(available_threads()) + 1),
      slots_(std::make_unique<Slot[]>(slot_count_)) {
  for (size_t i = 0; i < slot_count_; ++i) fill(slots_[i]);
  dnnl_stream();
}

void DnnlCall::fill(Slot& slot) const {
  for (const auto& [name, desc] : arguments_) {
    slot.memories.emplace_back(desc, dnnl_engine(), nullptr);
    slot.arguments.push_back({name, slot.memories.back().get()});
  }
}

void DnnlCall::run(const void* const* pointers) const {
  const auto execute = [&](Slot& slot) {
    for (size_t i = 0; i < slot.memories.size(); ++i) {
      slot.memories[i].set_data_handle(const_cast<void*>(pointers[i]), dnnl_stream());
    }
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_->get(), dnnl_stream().get(),
                               static_cast<int>(slot.arguments.size()), slot.arguments.data()),
        "a oneDNN primitive failed");
  };
  for (size_t i = 0; i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true)) continue;
    execute(slot);
    slot.taken.store(false, std::memory_order_release);
    return;
  }
  // More threads at once than processors: a set of its own.
  Slot extra;
  fill(extra);
  execute(extra);
}

}  // namespace tensorgrad::cpu
#endif

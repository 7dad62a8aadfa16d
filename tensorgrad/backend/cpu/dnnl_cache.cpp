// Keys are the numbers of a shape in a fixed order. Only weak pointers are kept, so that memory
// goes with the programs that used it.
#include "tensorgrad/backend/cpu/dnnl_cache.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

#include "tensorgrad/backend/cpu/choose.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

template <class Key, class Value>
class Cache {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const Value>& entry = entries_[key];
    std::shared_ptr<const Value> value = entry.lock();
    if (!value) entry = value = make();
    return value;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const Value>> entries_;
};

}  // namespace

std::shared_ptr<const DnnlMatmul> shared_dnnl_matmul(const GemmArgs<float>& shape) {
  using Key = std::array<std::int64_t, 10>;
  static Cache<Key, DnnlMatmul> cache;
  if (!prefer_dnnl(shape)) return nullptr;
  const Key key{shape.m,     shape.n,     shape.k,     shape.a_row, shape.a_col,
                shape.b_row, shape.b_col, shape.c_row, shape.c_col, shape.accumulate ? 1 : 0};
  return cache.get(key, [&] { return std::make_shared<const DnnlMatmul>(shape); });
}

std::shared_ptr<const DnnlConv> shared_dnnl_conv(const ConvShape& shape) {
  using Key = std::array<std::int64_t, 25>;
  static Cache<Key, DnnlConv> cache;
  if (!DnnlConv::available()) return nullptr;
  Key key{static_cast<std::int64_t>(shape.pass), shape.batch, shape.groups, shape.in_channels,
          shape.out_channels};
  std::size_t at = 5;
  const auto add = [&](const auto& values) {
    for (const std::int64_t value : values) key[at++] = value;
  };
  add(shape.in_size);
  add(shape.out_size);
  add(shape.kernel);
  add(shape.stride);
  add(shape.padding);
  add(shape.dilation);
  add(shape.in_strides);
  add(shape.out_strides);
  try {
    return cache.get(key, [&] { return std::make_shared<const DnnlConv>(shape); });
  } catch (const InternalError&) {
    return nullptr;  // a shape or layout that oneDNN does not take
  }
}

}  // namespace tensorgrad::cpu

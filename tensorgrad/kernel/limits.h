// What a device can do, as plain data: an argument of fuse and plan, which never see a backend.
#pragma once

#include <cstdint>

namespace tensorgrad::kernel {

struct Limits {
  int max_buffers_per_kernel = 64;          // distinct buffers one kernel may bind
  std::int64_t max_row_elements = 1 << 16;  // longest row kept on chip by a rowwise kernel
  std::int64_t max_tensor_elements = std::int64_t{1} << 46;
  int max_tape = 256;  // instructions per kernel
  bool contract_epilogue = true;
  bool in_place = true;       // a result may take the buffer of its last reader
  bool fused = true;          // false: one kernel per node, for tests
  bool reuse_scratch = true;  // false: no two values share memory, for tests
  bool channels_last = true;  // layout pass: NHWC round convolutions
};

}  // namespace tensorgrad::kernel

// Checks of declarations and arguments, and their way into device memory. Everything here refuses
// before anything is written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/base/location.h"
#include "tensorgrad/runtime/inputs.h"

namespace tensorgrad::runtime {

/// No free size: all extents are given.
inline constexpr std::int64_t kNoAny = -1;

/// Refuses empty or repeated names and bad extents; `free_allowed` admits one tg::any per input.
void check_declarations(const char* call, std::span<const InputDecl> inputs, bool free_allowed,
                        Location location);
/// Whether any declared extent is free.
bool has_any(std::span<const InputDecl> inputs);

/// Brings named arguments into the order of the declarations.
void order_inputs(const char* call, std::span<const InputDecl> inputs,
                  std::span<const NamedInput> named, std::span<InputValue> ordered);

/// Checks number, types and lengths of arguments in declared order; returns the free size, kNoAny
/// if there is none.
std::int64_t check_inputs(const char* call, std::span<const InputDecl> inputs,
                          std::span<const InputValue> values);

/// The declarations with the free extents replaced.
std::vector<InputDecl> with_size(std::span<const InputDecl> inputs, std::int64_t size);

/// Writes a checked argument to memory; `buffer` is reused for conversions.
void write_input(backend::Memory& memory, std::int64_t offset, const InputDecl& input,
                 const InputValue& value, std::vector<std::int32_t>& buffer);

/// Copies of arguments that outlive the call; buffers are kept from one use to the next.
class StagedInputs {
 public:
  void stage(std::span<const InputValue> values);
  std::span<const InputValue> values() const { return values_; }

 private:
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<InputValue> values_;
};

}  // namespace tensorgrad::runtime

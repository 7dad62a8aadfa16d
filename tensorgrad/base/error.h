// The library's exceptions. Everything it throws derives from `Error`; docs/errors.md says when to
// use which. Nothing in the library prints, aborts or exits.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tensorgrad/base/location.h"

namespace tensorgrad {

/// Base of all exceptions of the library.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller can fix it: a wrong shape, an unknown name, a setting out of range.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Shapes or element types that do not fit an operator.
class ShapeError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// A driver, its memory or a lost device.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A defect of the library itself; prints file, line and condition.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// Message in the house form: `what`, the caller's line when known, an optional help line.
std::string format_message(const std::string& what, Location location,
                           const std::string& help = {});

/// Throws UsageError with `format_message`.
[[noreturn]] void throw_usage(const std::string& what, Location location = {},
                              const std::string& help = {});
/// Throws ShapeError with `format_message`.
[[noreturn]] void throw_shape(const std::string& what, Location location = {},
                              const std::string& help = {});
/// Throws InternalError naming the library's own line.
[[noreturn]] void throw_internal(const std::string& what, Location here = Location::current());

/// Throws InternalError unless `condition` holds.
inline void require(bool condition, const char* what, Location here = Location::current()) {
  if (!condition) throw_internal(what, here);
}

/// "'a', 'b'" for messages; "(none)" when empty.
std::string join_names(const std::vector<std::string>& names);

}  // namespace tensorgrad

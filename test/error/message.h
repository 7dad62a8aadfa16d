// Whole messages: what a call throws, and the line that it must name.
#pragma once

#include <string>
#include <typeinfo>

#include "tensorgrad/base/error.h"
#include "tensorgrad/base/location.h"

namespace tensorgrad::error_test {

/// The message of exactly an E thrown by f; otherwise a text that no test expects.
template <class E = UsageError, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    if (typeid(error) == typeid(E)) return error.what();
    return std::string("another type: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("not of the library: ") + error.what();
  }
  return "nothing thrown";
}

/// "\n  at file.cpp:12" for a line of the test.
inline std::string at(int line, const char* file = __builtin_FILE()) {
  return "\n  at " + Location{file, line}.str();
}

}  // namespace tensorgrad::error_test

// A line of source code: the caller's line that an error names. Uses the compiler's builtins
// because std::source_location is missing on Clang 14 with libstdc++ 12.
#pragma once

#include <string>

namespace tensorgrad {

/// File and line; empty (`line == 0`) when unknown. The file name must outlive the object.
struct Location {
  const char* file = nullptr;
  int line = 0;

  static constexpr Location current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
  explicit operator bool() const { return line > 0; }
  /// "train.cpp:41": the file without its folders.
  std::string str() const;

  friend bool operator==(const Location&, const Location&) = default;
};

}  // namespace tensorgrad

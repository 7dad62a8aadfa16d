#include "tensorgrad/base/error.h"

#include <cstring>

namespace tensorgrad {

std::string Location::str() const {
  if (file == nullptr) return "unknown:0";
  const char* slash = std::strrchr(file, '/');
  return std::string(slash != nullptr ? slash + 1 : file) + ':' + std::to_string(line);
}

std::string format_message(const std::string& what, Location location, const std::string& help) {
  std::string text = what;
  if (location) text += "\n  at " + location.str();
  if (!help.empty()) text += "\n  help: " + help;
  return text;
}

void throw_usage(const std::string& what, Location location, const std::string& help) {
  throw UsageError(format_message(what, location, help));
}

void throw_shape(const std::string& what, Location location, const std::string& help) {
  throw ShapeError(format_message(what, location, help));
}

void throw_internal(const std::string& what, Location here) {
  throw InternalError("internal error: " + what + "\n  in " + here.str());
}

std::string join_names(const std::vector<std::string>& names) {
  if (names.empty()) return "(none)";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    text += '\'' + names[i] + '\'';
  }
  return text;
}

}  // namespace tensorgrad

# Compiles SOURCE with COMPILER and compares the outcome with the file's first line.
file(STRINGS "${SOURCE}" lines LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect: " "" expected "${lines}")
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only "-I${INCLUDE}" "${SOURCE}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(expected STREQUAL "success")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} does not compile:\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, it must not.")
else()
  string(FIND "${output}" "${expected}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${SOURCE}: the compiler does not say '${expected}':\n${output}")
  endif()
endif()

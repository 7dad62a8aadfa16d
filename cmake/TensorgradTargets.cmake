# Flags shared by everything built here, and the two functions by which folders declare tests and
# programs. All programs land in <build>/bin.
set(TENSORGRAD_BIN_DIR "${PROJECT_BINARY_DIR}/bin")
include(GNUInstallDirs)

# Private to this build: linked as $<BUILD_INTERFACE>, so it never reaches an installed package.
add_library(tensorgrad_settings INTERFACE)
target_compile_options(tensorgrad_settings INTERFACE
  -Wall -Wextra
  # The same graph must give the same bits fused or not: only explicit fused multiply-adds.
  -ffp-contract=off
  $<$<BOOL:${TENSORGRAD_WERROR}>:-Werror>)
# GCC 12 warns falsely at -O2 and above where a string literal is joined to a temporary string.
target_compile_options(tensorgrad_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(tensorgrad_settings INTERFACE
  $<$<BOOL:${TENSORGRAD_VERIFY}>:TENSORGRAD_VERIFY=1>)
if(TENSORGRAD_SANITIZE)
  target_compile_options(tensorgrad_settings INTERFACE
    -fsanitize=${TENSORGRAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tensorgrad_settings INTERFACE -fsanitize=${TENSORGRAD_SANITIZE})
endif()

# tensorgrad_add_program(name SOURCES a.cpp… [LIBRARIES lib…] [OUTPUT file] [INSTALL])
# OUTPUT is the program's file name where it differs from the target's.
function(tensorgrad_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL" "OUTPUT" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tensorgrad::tensorgrad tensorgrad_settings ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${TENSORGRAD_BIN_DIR}")
  if(arg_OUTPUT)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME "${arg_OUTPUT}")
  endif()
  if(arg_INSTALL)
    install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endfunction()

# tensorgrad_add_test(name SOURCES a_test.cpp… [LABELS cpu slow…] [TIMEOUT seconds] [LIBRARIES lib…]
#                     [ARGUMENTS arg…] [OWN_MAIN])
# One ctest entry per program. Labels: null (no device), cpu, webgpu, slow (left out under sanitizers),
# install. With OWN_MAIN the program brings its own main().
function(tensorgrad_add_test name)
  if(NOT TENSORGRAD_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN" "TIMEOUT" "SOURCES;LABELS;LIBRARIES;ARGUMENTS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(TENSORGRAD_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  tensorgrad_add_program(${name} SOURCES ${arg_SOURCES} LIBRARIES GTest::gtest ${arg_LIBRARIES})
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  # Where the test data of the source tree lies; a program run by hand finds it too.
  target_compile_definitions(${name} PRIVATE "TENSORGRAD_TEST_DIR=\"${PROJECT_SOURCE_DIR}/test\"")
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

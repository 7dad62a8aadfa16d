# Runs one of the two projects beside this file; see CMakeLists.txt for the variables.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(NOTICE "${output}")
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
if(KIND STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
  file(GLOB_RECURSE private_headers "${WORK}/prefix/include/*-inl.h" "${WORK}/prefix/include/*_internal.h")
  if(private_headers)
    message(FATAL_ERROR "private headers were installed: ${private_headers}")
  endif()
endif()
run("${CMAKE_COMMAND}" -S "${SOURCE}/test/install/${KIND}" -B "${WORK}/build" -G "${GENERATOR}"
  -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  "-DCMAKE_CXX_FLAGS_RELEASE=${FLAGS}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "-DTENSORGRAD_SOURCE=${SOURCE}" "-DTENSORGRAD_WITH_ONEDNN=${ONEDNN}" "-DTENSORGRAD_WERROR=${WERROR}")
run("${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2)
run("${WORK}/build/app")
message(STATUS "${KIND}: ${output}")

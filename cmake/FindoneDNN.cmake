# Finds oneDNN by header and library and makes the target oneDNN::oneDNN. Its own package file is not
# used because Debian's asks for the OpenCL headers, which a CPU program does not need.
find_path(oneDNN_INCLUDE_DIR NAMES dnnl.hpp)
find_library(oneDNN_LIBRARY NAMES dnnl)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(oneDNN REQUIRED_VARS oneDNN_LIBRARY oneDNN_INCLUDE_DIR)
mark_as_advanced(oneDNN_INCLUDE_DIR oneDNN_LIBRARY)

if(oneDNN_FOUND AND NOT TARGET oneDNN::oneDNN)
  add_library(oneDNN::oneDNN UNKNOWN IMPORTED)
  set_target_properties(oneDNN::oneDNN PROPERTIES
    IMPORTED_LOCATION "${oneDNN_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${oneDNN_INCLUDE_DIR}")
endif()

# cmake --install: headers, library and a package file for find_package(tensorgrad).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tensorgrad")
install(TARGETS tensorgrad EXPORT tensorgradTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# Headers of the backends stay private; the interface backend.h is public.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tensorgrad" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
  PATTERN "*_internal.h" EXCLUDE
  PATTERN "*_test*.h" EXCLUDE
  PATTERN "*-inl.h" EXCLUDE
  PATTERN "backend/cpu" EXCLUDE
  PATTERN "backend/null" EXCLUDE
  PATTERN "backend/webgpu" EXCLUDE)
install(EXPORT tensorgradTargets NAMESPACE tensorgrad:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/tensorgradConfig.cmake.in
  "${PROJECT_BINARY_DIR}/package/tensorgradConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/tensorgradConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/package/tensorgradConfig.cmake"
  "${PROJECT_BINARY_DIR}/package/tensorgradConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindoneDNN.cmake"
  DESTINATION "${package_dir}")

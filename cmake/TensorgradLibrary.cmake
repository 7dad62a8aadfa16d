# Settings of the library target and the packages it uses inside. None of those packages appears in a
# public header: a user's compile needs only the C++ standard library.
find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(nlohmann_json REQUIRED)

target_compile_features(tensorgrad PUBLIC cxx_std_20)
target_include_directories(tensorgrad PUBLIC
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(tensorgrad
  PUBLIC Threads::Threads
  # What stands under BUILD_INTERFACE leaves nothing to link and is unknown to an installed package.
  PRIVATE $<BUILD_INTERFACE:tensorgrad_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
          hwy::hwy ${CMAKE_DL_LIBS})
if(TENSORGRAD_WITH_ONEDNN)
  target_link_libraries(tensorgrad PRIVATE oneDNN::oneDNN)
  target_compile_definitions(tensorgrad PRIVATE TENSORGRAD_HAS_ONEDNN=1)
endif()
# The library is compiled once per vector target; SSSE3 adds nothing beside SSE4.
target_compile_definitions(tensorgrad PRIVATE "HWY_DISABLED_TARGETS=HWY_SSSE3")
set_target_properties(tensorgrad PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR})

# ONNX's message classes, made by protoc from the onnx.proto that Debian's libonnx-dev ships; without
# it or protobuf, `import` says so. Only the files named below know these classes.
find_package(Protobuf QUIET)
find_path(ONNX_PROTO_DIR onnx/onnx.proto)
mark_as_advanced(ONNX_PROTO_DIR)
if(NOT Protobuf_FOUND OR NOT Protobuf_PROTOC_EXECUTABLE OR NOT Protobuf_LITE_LIBRARY
   OR NOT ONNX_PROTO_DIR)
  message(STATUS "protobuf or onnx.proto is missing (Debian: libprotobuf-dev protobuf-compiler "
                 "libonnx-dev): import does not read ONNX")
  return()
endif()

set(generated ${PROJECT_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${generated}/onnx/onnx.pb.cc ${generated}/onnx/onnx.pb.h
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
  COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${ONNX_PROTO_DIR} --cpp_out=${generated}
          onnx/onnx.proto
  DEPENDS ${ONNX_PROTO_DIR}/onnx/onnx.proto
  VERBATIM)
add_library(placer_onnx_proto OBJECT ${generated}/onnx/onnx.pb.cc ${generated}/onnx/onnx.pb.h)
target_include_directories(placer_onnx_proto SYSTEM PUBLIC ${generated} ${Protobuf_INCLUDE_DIRS})
target_compile_options(placer_onnx_proto PRIVATE -w)
set_target_properties(placer_onnx_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)

target_sources(placer PRIVATE $<TARGET_OBJECTS:placer_onnx_proto>)
set_source_files_properties(src/io/onnx/messages.cpp src/io/onnx/proto.cpp
                                                  src/io/onnx/proto_values.cpp
                                                  src/io/onnx/split.cpp PROPERTIES
                            COMPILE_DEFINITIONS PLACER_ONNX
                            OBJECT_DEPENDS ${generated}/onnx/onnx.pb.h)
target_include_directories(placer SYSTEM PRIVATE ${generated})
target_link_libraries(placer PRIVATE ${Protobuf_LITE_LIBRARY})
set(PLACER_READS_ONNX TRUE)  # for the tests

# Writes `output`, a C++ file that defines placer::embedded_NAME(), which `header` declares: (name without
# ending, text) of each file in `folder` with that ending (`*`: any), in alphabetical order.
function(embed_texts name folder ending header output)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${ending})
  list(SORT files)
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WLE)
    file(READ ${file} text)
    string(APPEND rows "      {\"${stem}\", R\"embedded(${text})embedded\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"@header@\"

namespace placer {

const std::vector<EmbeddedText>& embedded_${name}() {
  static const std::vector<EmbeddedText> texts = {
@rows@  };
  return texts;
}

}  // namespace placer
")
endfunction()

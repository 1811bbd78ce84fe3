#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace placer {

/// A file of src/cli/report/page, by its name without ending.
const std::string& page_text(std::string_view name);

/// `page` with what `value_of` says of each {{name}}; values are not looked into.
std::string filled(std::string_view page,
                   const std::function<std::string(std::string_view)>& value_of);

/// The page `name` behind the head that all have. `value_of` is asked for what stands in it.
std::string whole_page(std::string_view name, const std::string& title,
                       const std::function<std::string(std::string_view)>& value_of);

/// JSON that can stand inside of a script element: without "<".
std::string script_json(std::string_view json);

}  // namespace placer

#include "cli/report/page_parts.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/report/page_texts.hpp"
#include "placer/base/markup.hpp"

namespace placer {

const std::string& page_text(std::string_view name) {
  for (const EmbeddedText& file : embedded_page()) {
    if (file.name == name) return file.text;
  }
  throw std::logic_error(fmt::format("the page has no part '{}'", name));
}

std::string filled(std::string_view page,
                   const std::function<std::string(std::string_view)>& value_of) {
  std::string text;
  while (true) {
    const std::size_t begin = page.find("{{"), end = page.find("}}");
    if (begin == std::string_view::npos) return text + std::string(page);
    text += page.substr(0, begin);
    text += value_of(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
}

std::string whole_page(std::string_view name, const std::string& title,
                       const std::function<std::string(std::string_view)>& value_of) {
  const std::string head = filled(page_text("head"), [&](std::string_view part) {
    return part == "title" ? markup_text("placer: " + title) : page_text("style");
  });
  return head + filled(page_text(name), value_of);
}

std::string script_json(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (true) {
    const std::size_t at = json.find('<');
    text += json.substr(0, at);
    if (at == std::string_view::npos) return text;
    text += "\\u003c";  // which stands in strings alone
    json.remove_prefix(at + 1);
  }
}

}  // namespace placer

#include "io/onnx/einsum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace placer {
namespace {

constexpr char kEllipsis = '.';

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Letters, and kEllipsis where "..." stands.
std::string term_of(const OnnxNodeView& node, std::string_view text) {
  std::string term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    const bool dots = text.substr(i).starts_with("...");
    node.require(is_letter(text[i]) || dots, "letters and '...' in the equation",
                 "'" + one_line(text, 60) + "'");
    term += dots ? kEllipsis : text[i];
    if (dots) i += 2;
  }
  node.require(std::ranges::count(term, kEllipsis) <= 1, "one '...' for each input",
               "'" + one_line(text, 60) + "'");
  return term;
}

class EinsumReader {
 public:
  explicit EinsumReader(const OnnxNodeView& node) : node_(node) {}

  Einsum read() {
    const std::string equation = node_.text("equation", "");
    const std::size_t arrow = equation.find("->");
    std::string_view left = std::string_view(equation).substr(0, arrow);
    std::size_t input = 0;
    for (bool more = true; more; ++input) {
      const std::size_t comma = left.find(',');
      more = comma != std::string_view::npos;
      read_input(input, term_of(node_, left.substr(0, comma)));
      if (more) left.remove_prefix(comma + 1);
    }
    node_.require(input == node_.input_count(), fmt::format("{} inputs", input),
                  fmt::format("{}", node_.input_count()));
    const std::string output = arrow == std::string::npos
                                   ? implicit_output()
                                   : term_of(node_, std::string_view(equation).substr(arrow + 2));
    return result(output);
  }

 private:
  void read_input(std::size_t i, const std::string& term) {
    const OnnxShape& shape = node_.shape(i);
    const bool dotted = term.find(kEllipsis) != std::string::npos;
    const std::size_t letters = term.size() - dotted;
    node_.require(dotted ? shape.size() >= letters : shape.size() == letters,
                  fmt::format("{} dimensions of input {}", letters, i), shape_text(shape));
    std::size_t at = 0;
    for (const char c : term) {
      if (c != kEllipsis) {
        add(c, shape[at++]);
        continue;
      }
      const auto from = shape.begin() + static_cast<std::ptrdiff_t>(at);
      at += shape.size() - letters;
      dots_ = broadcast(node_, dots_, {from, shape.begin() + static_cast<std::ptrdiff_t>(at)});
    }
  }

  void add(char letter, std::int64_t extent) {
    ++times_[letter];
    auto [at, is_new] = extents_.emplace(letter, extent);
    if (at->second == 1) at->second = extent;
    node_.require(extent == at->second || extent == 1,
                  fmt::format("{} for '{}'", at->second, letter), fmt::format("{}", extent));
  }

  std::string implicit_output() const {
    std::string output = dots_.empty() ? "" : std::string(1, kEllipsis);
    for (const auto& [letter, times] : times_) {
      if (times == 1) output += letter;
    }
    return output;
  }

  Einsum result(const std::string& output) const {
    Einsum found;
    for (const char c : output) {
      if (c == kEllipsis) {
        found.output.insert(found.output.end(), dots_.begin(), dots_.end());
        continue;
      }
      const auto at = extents_.find(c);
      node_.require(at != extents_.end(), "an output of the inputs' letters",
                    fmt::format("'{}'", c));
      found.output.push_back(at->second);
    }
    double all = element_count(dots_);
    for (const auto& [letter, extent] : extents_) all *= static_cast<double>(extent);
    const auto inputs = static_cast<double>(node_.input_count());
    found.flops = inputs > 1 ? (inputs - 1) * product_flops(all, 1) : all;
    return found;
  }

  const OnnxNodeView& node_;
  OnnxShape dots_;
  std::map<char, std::int64_t> extents_;
  std::map<char, int> times_;
};

}  // namespace

Einsum read_einsum(const OnnxNodeView& node) { return EinsumReader(node).read(); }

}  // namespace placer

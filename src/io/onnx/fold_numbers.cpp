// What small constants give when they are computed with. Integers wrap around; where a result is
// not a number that the type holds, it stays unknown.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "io/onnx/fold.hpp"

namespace placer {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

std::int64_t wrapped(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

std::optional<std::int64_t> whole(double number) {
  if (!(std::abs(number) < 9e18)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> integer_result(std::string_view op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool divides = b != 0 && b != -1;
  if (op == "Add") return wrapped(x + y);
  if (op == "Sub") return wrapped(x - y);
  if (op == "Mul") return wrapped(x * y);
  if (op == "Div")
    return divides ? std::optional(a / b) : b == 0 ? std::nullopt : std::optional(wrapped(0 - x));
  if (op == "Mod") {
    if (b == 0) return std::nullopt;
    const std::int64_t rest = divides ? a % b : 0;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Pow") return whole(std::pow(static_cast<double>(a), static_cast<double>(b)));
  if (op == "And") return a != 0 && b != 0;
  if (op == "Or") return a != 0 || b != 0;
  if (op == "Xor") return (a != 0) != (b != 0);
  return std::nullopt;
}

std::optional<double> real_result(std::string_view op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Pow") return std::pow(a, b);
  return std::nullopt;
}

template <class Number>
std::optional<bool> comparison(std::string_view op, Number a, Number b) {
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "Greater") return a > b;
  if (op == "GreaterOrEqual") return a >= b;
  return std::nullopt;
}

template <class Number>
std::optional<OnnxValues> combined(std::string_view op, const std::vector<Number>& a,
                                   const std::vector<std::size_t>& from_a,
                                   const std::vector<Number>& b,
                                   const std::vector<std::size_t>& from_b) {
  std::vector<Number> numbers;
  Integers truths;
  for (std::size_t i = 0; i < from_a.size(); ++i) {
    const Number x = a[from_a[i]], y = b[from_b[i]];
    if (const std::optional<bool> truth = comparison(op, x, y)) {
      truths.push_back(*truth);
      continue;
    }
    std::optional<Number> number;
    if constexpr (std::is_same_v<Number, double>) {
      number = real_result(op, x, y);
    } else {
      number = integer_result(op, x, y);
    }
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (truths.empty()) return OnnxValues(std::move(numbers));
  return OnnxValues(std::move(truths));
}

double unary_result(std::string_view op, double x) {
  if (op == "Sqrt") return std::sqrt(x);
  if (op == "Reciprocal") return 1 / x;
  if (op == "Abs") return std::abs(x);
  if (op == "Neg") return -x;
  if (op == "Floor") return std::floor(x);
  if (op == "Ceil") return std::ceil(x);
  if (op == "Round") return std::nearbyint(x);
  return x;
}

OnnxValues converted(const OnnxValues& from, bool to_integers, bool to_truth) {
  return std::visit(
      [&](const auto& all) -> OnnxValues {
        if (!to_integers) return Reals(all.begin(), all.end());
        Integers result;
        for (const auto each : all) {
          if constexpr (std::is_same_v<decltype(each), const double>) {
            result.push_back(to_truth ? each != 0 : whole(each).value_or(0));
          } else {
            result.push_back(to_truth ? each != 0 : each);
          }
        }
        return result;
      },
      from);
}

}  // namespace

void fold_shape(OnnxNodeView& node) {
  const OnnxShape& shape = node.shape(0);
  const std::int64_t rank = node.rank(0), start = node.integer("start", 0);
  const std::int64_t first = std::clamp<std::int64_t>(start < 0 ? start + rank : start, 0, rank);
  const auto count = element_count(node.output(0).shape);
  if (count > static_cast<double>(rank - first)) return;
  const auto from = shape.begin() + first;
  node.set_values(0, Integers(from, from + static_cast<std::ptrdiff_t>(count)));
}

void fold_size(OnnxNodeView& node) {
  node.set_values(0, Integers{static_cast<std::int64_t>(node.elements(0))});
}

void fold_constant(OnnxNodeView& node) {
  if (const OnnxTensor* value = node.tensor("value")) {
    if (value->values != nullptr) node.set_values(0, *value->values);
  } else if (node.has("value_int")) {
    node.set_values(0, Integers{node.integer("value_int", 0)});
  } else if (node.has("value_ints")) {
    node.set_values(0, node.integers("value_ints"));
  } else {
    node.set_values(0, node.has("value_float") ? Reals{node.real("value_float", 0)}
                                               : node.reals("value_floats"));
  }
}

void fold_constant_of_shape(OnnxNodeView& node) {
  const auto count = static_cast<std::size_t>(node.output_elements(0));
  const OnnxTensor* value = node.tensor("value");
  if (value == nullptr) return node.set_values(0, Reals(count, 0));
  if (value->values == nullptr) return;
  std::visit(
      [&](const auto& one) {
        if (one.size() != 1) return;
        node.set_values(0, std::remove_cvref_t<decltype(one)>(count, one.front()));
      },
      *value->values);
}

void fold_cast(OnnxNodeView& node) {
  const OnnxType* to = find_onnx_type(node.output(0).type);
  if (to == nullptr) return;
  node.set_values(0, converted(*node.values(0), to->is_integer, to->code == kOnnxBool));
}

void fold_unary(OnnxNodeView& node) {
  std::visit(
      [&](auto all) {
        using Number = typename decltype(all)::value_type;
        for (Number& each : all) {
          if constexpr (std::is_same_v<Number, double>) {
            each = unary_result(node.op(), each);
          } else if (node.op() == "Not") {
            each = each == 0;
          } else if (node.op() == "Neg" || (node.op() == "Abs" && each < 0)) {
            each = wrapped(0 - static_cast<std::uint64_t>(each));
          }
        }
        node.set_values(0, std::move(all));
      },
      *node.values(0));
}

void fold_binary(OnnxNodeView& node) {
  // With fmod, the remainder has the sign of the first number; no exporter asks for that in shapes.
  if (node.input_count() != 2 || node.integer("fmod", 0) != 0) return;
  const OnnxShape& shape = node.output(0).shape;
  const auto from_a = broadcast_sources(shape, node.shape(0));
  const auto from_b = broadcast_sources(shape, node.shape(1));
  const auto compute = [&](const auto& a) -> std::optional<OnnxValues> {
    const auto* b = std::get_if<std::remove_cvref_t<decltype(a)>>(node.values(1));
    if (b == nullptr) return std::nullopt;
    return combined(node.op(), a, from_a, *b, from_b);
  };
  if (auto values = std::visit(compute, *node.values(0))) node.set_values(0, std::move(*values));
}

void fold_where(OnnxNodeView& node) {
  const OnnxShape& shape = node.output(0).shape;
  const auto from_a = broadcast_sources(shape, node.shape(1));
  const auto from_b = broadcast_sources(shape, node.shape(2));
  const auto asked = broadcast_sources(shape, node.shape(0));
  const std::vector<double> truths = node.numbers(0);
  std::visit(
      [&](const auto& a) {
        using Numbers = std::remove_cvref_t<decltype(a)>;
        const auto* b = std::get_if<Numbers>(node.values(2));
        if (b == nullptr) return;
        Numbers result;
        for (std::size_t i = 0; i < asked.size(); ++i) {
          result.push_back(truths[asked[i]] != 0 ? a[from_a[i]] : (*b)[from_b[i]]);
        }
        node.set_values(0, std::move(result));
      },
      *node.values(1));
}

void fold_range(OnnxNodeView& node) {
  const auto count = static_cast<std::size_t>(node.output_elements(0));
  std::visit(
      [&](const auto& start) {
        using Numbers = std::remove_cvref_t<decltype(start)>;
        const auto* step = std::get_if<Numbers>(node.values(2));
        if (step == nullptr) return;
        Numbers result;
        for (std::size_t i = 0; i < count; ++i) {
          if constexpr (std::is_same_v<Numbers, Integers>) {
            result.push_back(wrapped(static_cast<std::uint64_t>(start.front()) +
                                     i * static_cast<std::uint64_t>(step->front())));
          } else {
            result.push_back(start.front() + static_cast<double>(i) * step->front());
          }
        }
        node.set_values(0, std::move(result));
      },
      *node.values(0));
}

void fold_reduce(OnnxNodeView& node) {
  static const std::map<std::string_view, std::string_view> kSteps = {
      {"ReduceSum", "Add"}, {"ReduceProd", "Mul"}, {"ReduceMax", "Max"}, {"ReduceMin", "Min"}};
  const std::string_view step = kSteps.at(node.op());
  const std::vector<char> reduced = reduced_axes(node);
  OnnxShape kept = node.shape(0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (reduced[i] != 0) kept[i] = 1;
  }
  const std::vector<std::size_t> goes_to = broadcast_sources(node.shape(0), kept);
  const auto compute = [&](const auto& all) -> std::optional<OnnxValues> {
    using Numbers = std::remove_cvref_t<decltype(all)>;
    std::vector<std::optional<typename Numbers::value_type>> results(
        static_cast<std::size_t>(element_count(kept)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& result = results[goes_to[i]];
      if constexpr (std::is_same_v<Numbers, Reals>) {
        result = result ? real_result(step, *result, all[i]) : all[i];
      } else {
        result = result ? integer_result(step, *result, all[i]) : all[i];
      }
    }
    Numbers numbers;
    for (const auto& result : results) {
      if (!result) return std::nullopt;
      numbers.push_back(*result);
    }
    return OnnxValues(std::move(numbers));
  };
  if (auto values = std::visit(compute, *node.values(0))) node.set_values(0, std::move(*values));
}

}  // namespace placer

#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

/// A mixed-integer linear program: minimise costs * x where low <= x <= high, some x are integers,
/// and each row's sum of coefficient * x is at most its bound, or equal to it.
class MixedProgram {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Column {
    std::string name;  // without blanks
    double cost = 0, low = 0, high = kInfinity;
    bool is_integer = false;
  };
  struct Term {
    int column;
    double coefficient;
  };
  enum class Sense { kAtMost, kEqual };
  struct Row {
    Sense sense;
    double bound;
    std::size_t end;  // of its terms among all
  };

  /// Adds a column and returns its number, from 0.
  int add_column(Column column);
  /// Adds a row. The columns of its terms are all different.
  void add_row(std::span<const Term> terms, Sense sense, double bound);
  void set_bounds(int column, double low, double high);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  std::span<const Term> terms(std::size_t row) const;
  /// Coefficients of all rows.
  std::size_t entries() const { return terms_.size(); }

  /// As a file in MPS format, in which names are separated by blanks ("free"); `remarks` are lines
  /// at its head. Numbers read back to the same bits.
  std::string mps(std::string_view name, const std::vector<std::string>& remarks) const;

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::vector<Term> terms_;  // row after row
};

}  // namespace placer

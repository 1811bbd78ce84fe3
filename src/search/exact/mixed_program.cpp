#include "search/exact/mixed_program.hpp"

#include <fmt/format.h>

namespace placer {
namespace {

/// Columns follow each other in MPS files, integers between marks.
class MpsWriter {
 public:
  explicit MpsWriter(const MixedProgram& program) : program_(program) {}

  std::string text(std::string_view name, const std::vector<std::string>& remarks) {
    for (const std::string& remark : remarks) add("* {}\n", remark);
    add("NAME {} FREE\nROWS\n N cost\n", name);
    for (std::size_t row = 0; row < program_.rows().size(); ++row) {
      const bool is_equal = program_.rows()[row].sense == MixedProgram::Sense::kEqual;
      add(" {} r{}\n", is_equal ? 'E' : 'L', row);
    }
    add_columns();
    add("RHS\n");
    for (std::size_t row = 0; row < program_.rows().size(); ++row) {
      if (program_.rows()[row].bound != 0) add(" rhs r{} {}\n", row, program_.rows()[row].bound);
    }
    add_bounds();
    add("ENDATA\n");
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void add_columns() {
    std::vector<std::vector<MixedProgram::Term>> of_column(program_.columns().size());
    for (std::size_t row = 0; row < program_.rows().size(); ++row) {
      for (const auto& [column, coefficient] : program_.terms(row)) {
        of_column[static_cast<std::size_t>(column)].push_back({static_cast<int>(row), coefficient});
      }
    }
    add("COLUMNS\n");
    bool is_integer = false;
    const auto mark = [&](bool integer) {
      if (is_integer == integer) return;
      add(" mark 'MARKER' '{}'\n", integer ? "INTORG" : "INTEND");
      is_integer = integer;
    };
    for (std::size_t at = 0; at < of_column.size(); ++at) {
      const MixedProgram::Column& column = program_.columns()[at];
      mark(column.is_integer);
      add(" {} cost {}\n", column.name, column.cost);
      for (const auto& [row, coefficient] : of_column[at]) {
        add(" {} r{} {}\n", column.name, row, coefficient);
      }
    }
    mark(false);
  }

  void add_bounds() {
    add("BOUNDS\n");
    for (const MixedProgram::Column& column : program_.columns()) {
      if (column.low != 0) add(" LO bound {} {}\n", column.name, column.low);
      if (column.high != MixedProgram::kInfinity) {
        add(" UP bound {} {}\n", column.name, column.high);
      }
    }
  }

  const MixedProgram& program_;
  std::string text_;
};

}  // namespace

int MixedProgram::add_column(Column column) {
  columns_.push_back(std::move(column));
  return static_cast<int>(columns_.size()) - 1;
}

void MixedProgram::set_bounds(int column, double low, double high) {
  columns_[static_cast<std::size_t>(column)].low = low;
  columns_[static_cast<std::size_t>(column)].high = high;
}

void MixedProgram::add_row(std::span<const Term> terms, Sense sense, double bound) {
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  rows_.push_back({sense, bound, terms_.size()});
}

std::span<const MixedProgram::Term> MixedProgram::terms(std::size_t row) const {
  const std::size_t begin = row == 0 ? 0 : rows_[row - 1].end;
  return std::span(terms_).subspan(begin, rows_[row].end - begin);
}

std::string MixedProgram::mps(std::string_view name,
                              const std::vector<std::string>& remarks) const {
  return MpsWriter(*this).text(name, remarks);
}

}  // namespace placer

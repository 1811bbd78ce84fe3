#include "cli/shared/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "placer/io/files.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

/// Through links, where there are any; devices and pipes may serve several times.
bool is_same_file(const std::string& a, const std::string& b) {
  if (is_standard_output(a) || is_standard_output(b))
    return is_standard_output(a) && is_standard_output(b);
  std::error_code fault;
  const fs::file_status status = fs::status(a, fault);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  if (fs::equivalent(a, b, fault) && !fault) return true;
  return written_path(a) == written_path(b);
}

void require_writable(const NamedFile& file) {
  if (is_standard_output(*file.path)) return;
  try {
    placer::require_writable(*file.path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.name, error.what()));
  }
}

}  // namespace

void check_inputs(const std::vector<NamedFile>& inputs) {
  const NamedFile* first = nullptr;
  for (const NamedFile& input : inputs) {
    if (!input.path || !is_standard_input(*input.path)) continue;
    if (first != nullptr) {
      throw Error(fmt::format("stdin is read once; {} and {} both say {}", first->name, input.name,
                              *input.path));
    }
    first = &input;
  }
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  check_inputs(inputs);
  std::vector<NamedFile> taken = inputs;
  // "-" as an input is another stream.
  std::erase_if(
      taken, [](const NamedFile& input) { return input.path && is_standard_output(*input.path); });
  for (const NamedFile& output : outputs) {
    if (!output.path) continue;
    for (const NamedFile& other : taken) {
      if (!other.path || !is_same_file(*output.path, *other.path)) continue;
      throw Error(fmt::format("{}: expected another file than {}, found '{}' for both", output.name,
                              other.name, *output.path));
    }
    require_writable(output);
    taken.push_back(output);
  }
}

std::vector<NamedFile> output_files(const OutputFlags& flags) {
  return {{"--output", flags.output}, {"--trace", flags.trace}, {"--report", flags.report}};
}

void check_outputs(const OutputFlags& flags, const std::vector<NamedFile>& inputs) {
  const std::vector<NamedFile> outputs = output_files(flags);
  check_outputs(outputs, inputs);
  if (flags.json) check_json_alone(outputs);
}

void check_json_alone(const std::vector<NamedFile>& outputs) {
  for (const NamedFile& output : outputs) {
    if (!output.path || !is_standard_output(*output.path)) continue;
    throw Error(fmt::format(
        "{}: expected a file, since --json prints to standard output, found '-' as well",
        output.name));
  }
}

bool write_output(const std::string& path, std::string_view text, Console& console) {
  if (is_standard_output(path)) {
    console.out << text;
    console.out_is_taken = true;
    return true;
  }
  if (const std::string fault = write_if_possible(path, text, console); !fault.empty()) {
    console.log.tell(EventLevel::kError, "", [&] { return fault; });
    console.lacks_output = true;
    return false;
  }
  return true;
}

bool write_result(const std::string& path, std::string_view text, Console& console) {
  if (write_output(path, text, console)) return true;
  if (!console.out_is_taken) write_output(std::string(kStandardStream), text, console);
  return false;
}

std::string write_if_possible(const std::string& path, std::string_view text, Console& console) {
  try {
    write_atomically(path, text);
  } catch (const Error& error) {
    return error.what();
  }
  console.log.tell(EventLevel::kInfo, "files",
                   [&] { return fmt::format("written: {} ({} bytes)", path, text.size()); });
  return {};
}

std::ostream& summary_stream(Console& console) {
  return console.out_is_taken ? console.err : console.out;
}

}  // namespace placer

#include "placer/io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "io/base64.hpp"
#include "io/json/writer.hpp"
#include "io/seal.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::int64_t kCheckpointVersion = 2;
constexpr std::size_t kWords = 3;  // of a score

/// All but the checksum and the closing brace.
JsonWriter body_of(const RequestFacts& request, std::span<const Score> scores) {
  std::vector<std::int64_t> words;
  words.reserve(kWords * scores.size());
  for (const Score& score : scores) {
    words.push_back(score.overflow_bytes);
    words.push_back(score.step_ps);
    words.push_back(score.astray_ops);
  }
  JsonWriter writer({.indent = 0});
  writer.begin_object();
  writer.break_line();
  writer.member("format", "placer-checkpoint");
  writer.member("version", kCheckpointVersion);
  writer.break_line();
  writer.member("written_by", PLACER_VERSION);
  writer.break_line();
  writer.key("request");
  writer.begin_object();
  for (const auto& [name, value] : request) writer.member(name, value);
  writer.end_object();
  writer.break_line();
  writer.member("evaluations", scores.size());
  writer.break_line();
  writer.member("scores", base64_of(words));
  return writer;
}

std::vector<Score> scores_from(const JsonCursor& cursor, std::int64_t evaluations) {
  const std::optional<std::vector<std::int64_t>> words = words_of(cursor.text());
  if (!words) cursor.fail("base64 of integers", "something else");
  if (static_cast<std::int64_t>(words->size()) != static_cast<std::int64_t>(kWords) * evaluations) {
    cursor.fail(fmt::format("three integers for each of {} evaluations", evaluations),
                fmt::format("{}", words->size()));
  }
  std::vector<Score> scores;
  scores.reserve(words->size() / kWords);
  for (std::size_t i = 0; i < words->size(); i += kWords) {
    scores.push_back({(*words)[i], (*words)[i + 1], (*words)[i + 2]});
  }
  return scores;
}

}  // namespace

SearchCheckpoint read_checkpoint(const std::string& path) {
  return parse_checkpoint(read_text(path), file_title(path));
}

SearchCheckpoint parse_checkpoint(const std::string& text, const std::string& file) {
  constexpr std::int64_t kMostEvaluations = std::int64_t{1} << 40;
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  check_format(document, "placer-checkpoint", kCheckpointVersion);
  const JsonCursor version = document.required("written_by");
  if (version.name() != PLACER_VERSION) {
    version.fail("version " PLACER_VERSION ", since others may search otherwise");
  }
  SearchCheckpoint checkpoint;
  document.required("request").for_each_member([&](std::string_view name, const JsonCursor& value) {
    checkpoint.request.emplace_back(name, value.text());
  });
  const std::int64_t evaluations = document.required("evaluations").integer(0, kMostEvaluations);
  checkpoint.scores = scores_from(document.required("scores"), evaluations);
  check_seal(document, body_of(checkpoint.request, checkpoint.scores));
  return checkpoint;
}

std::string write_checkpoint(const RequestFacts& request, std::span<const Score> scores) {
  return sealed(body_of(request, scores));
}

}  // namespace placer

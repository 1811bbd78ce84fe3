#include "io/seal.hpp"

#include <fmt/format.h>

#include <utility>

#include "placer/base/hash.hpp"

namespace placer {
namespace {

std::string checksum_of(const JsonWriter& body) {
  return fmt::format("{:016x}", fnv1a(body.text()));
}

}  // namespace

std::string sealed(JsonWriter body) {
  const std::string checksum = checksum_of(body);
  body.break_line();
  body.member("checksum", checksum);
  body.break_line();
  body.end_object();
  return std::move(body).take() + "\n";
}

void check_seal(JsonObject& document, const JsonWriter& body) {
  const JsonCursor checksum = document.required("checksum");
  const std::string found(checksum.name());
  document.no_other_keys();
  const std::string expected = checksum_of(body);
  if (found != expected) checksum.fail(expected, found + ", so the file was changed");
}

}  // namespace placer

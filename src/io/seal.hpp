#pragma once

#include <string>

#include "io/json/writer.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {

/// The text of a file whose object, still open, is `body`: its last member is "checksum", the
/// FNV-1a hash of all before it.
std::string sealed(JsonWriter body);

/// Takes the checksum of `document`, which may hold nothing else that was not taken. Throws Error
/// unless it is that of `body`, which is written anew from what was read.
void check_seal(JsonObject& document, const JsonWriter& body);

}  // namespace placer

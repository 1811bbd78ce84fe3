// `placer_schemas [--check] FOLDER`: writes into the schemas of FOLDER the fields that the tables
// of the model list; with --check changes nothing and fails where they differ.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 99;
constexpr std::int64_t kLargestInteger = 9'007'199'254'740'992;  // 2^53

Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

Json list_of(Json items, const FieldRules& rules) {
  Json list{{"type", "array"}};
  if (!rules.items.empty()) list["minItems"] = 1;
  if (rules.are_distinct) list["uniqueItems"] = true;
  list["items"] = std::move(items);
  return list;
}

Json number_in(const NumberRange& range) {
  Json number{{"type", "number"}};
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  number[range.is_above ? "exclusiveMinimum" : "minimum"] = whole(range.least);
  if (!range.is_unlimited()) number["maximum"] = whole(range.most);
  return number;
}

Json integer_in(const NumberRange& range) {
  Json integer{{"type", "integer"}, {"minimum", static_cast<std::int64_t>(range.least)}};
  integer["maximum"] =
      range.is_unlimited() ? kLargestInteger : static_cast<std::int64_t>(range.most);
  return integer;
}

// What the schema says of a member of each type.
Json schema_of(const std::string& /*member*/, const FieldRules& rules) {
  Json text = reference(rules.may_be_empty ? "text" : "name");
  if (!rules.barred.empty()) text["not"] = {{"const", rules.barred}};
  return text;
}
Json schema_of(bool /*member*/, const FieldRules& /*rules*/) { return {{"type", "boolean"}}; }
Json schema_of(std::int64_t /*member*/, const FieldRules& rules) {
  const bool is_any = rules.range.least == 0 && rules.range.is_unlimited();
  return is_any ? reference("bytes") : integer_in(rules.range);
}
Json schema_of(double /*member*/, const FieldRules& rules) { return number_in(rules.range); }
Json schema_of(std::optional<double> /*member*/, const FieldRules& rules) {
  return number_in(rules.range);
}
Json schema_of(const std::vector<std::string>& /*member*/, const FieldRules& rules) {
  return list_of(reference("name"), rules);
}
Json schema_of(const std::vector<std::int64_t>& /*member*/, const FieldRules& rules) {
  return list_of(integer_in(rules.range), rules);
}
Json schema_of(const std::vector<std::pair<std::string, double>>& /*member*/,
               const FieldRules& rules) {
  return {{"type", "object"},
          {"propertyNames", reference("name")},
          {"additionalProperties", number_in(rules.range)}};
}
Json schema_of(const PeakFlops& /*member*/, const FieldRules& rules) {
  return {{"if", {{"type", "object"}}},
          {"then",
           {{"minProperties", 1},
            {"propertyNames", {{"enum", peak_dtypes()}}},
            {"additionalProperties", number_in(rules.range)}}},
          {"else", number_in(rules.range)}};
}
Json schema_of(OpId /*member*/, const FieldRules& /*rules*/) { return reference("name"); }
Json schema_of(const std::vector<OpId>& /*member*/, const FieldRules& rules) {
  return list_of(reference("name"), rules);
}
Json schema_of(const std::vector<OutputShape>& /*member*/, const FieldRules& rules) {
  return list_of(reference("output"), rules);
}
Json schema_of(const std::vector<MessageBandwidth>& /*member*/, const FieldRules& rules) {
  return list_of(reference("message_bandwidth"), rules);
}

template <class Member>
void set_default(Json& property, const Member& member) {
  if constexpr (std::is_same_v<Member, double>) {
    property["default"] = static_cast<std::int64_t>(member);
  } else if constexpr (std::is_arithmetic_v<Member>) {
    property["default"] = member;
  }
}

template <class T, class Rows>
void set_fields(Json& part, const Rows& rows) {
  [[maybe_unused]] static const T standard{};
  part["required"] = Json::array();
  part["properties"] = Json::object();
  for_each_field(rows, [&](const auto& row) {
    const auto& member = standard.*row.member;
    Json& property = part["properties"][std::string(row.name)];
    property["description"] = row.meaning;
    property.update(schema_of(member, row.rules));
    if (row.rules.presence == Presence::kRequired) {
      part["required"].push_back(row.name);
    } else {
      set_default(property, member);
    }
  });
}

/// On one line, with a space after each comma and colon.
std::string on_one_line(const Json& json) {
  if (!json.is_structured()) return json.dump();
  std::string text, separator;
  for (const auto& [key, value] : json.items()) {
    text += separator + (json.is_object() ? Json(key).dump() + ": " : "") + on_one_line(value);
    separator = ", ";
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// On one line where that ends before the last column, counted from `column`.
std::string formatted(const Json& json, std::size_t indent, std::size_t column) {
  const std::string line = on_one_line(json);
  if (!json.is_structured() || column + line.size() + 1 <= kColumns) return line;
  std::string text, separator = "\n";
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? Json(key).dump() + ": " : "";
    text += separator + std::string(indent + 2, ' ') + name +
            formatted(value, indent + 2, indent + 2 + name.size());
    separator = ",\n";
  }
  text += "\n" + std::string(indent, ' ');
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Change>
bool write_schema(const std::string& path, bool only_checks, Change change) {
  const std::string before = text_of(path);
  Json schema = Json::parse(before);
  change(schema["$defs"]);
  const std::string text = formatted(schema, 0, 0) + "\n";
  if (text == before) return true;
  if (only_checks) {
    std::fprintf(stderr, "%s is not what the tables of fields say; run scripts/schemas.sh\n",
                 path.c_str());
    return false;
  }
  std::ofstream(path) << text;
  return true;
}

}  // namespace
}  // namespace placer

int main(int count, char** words) {
  using namespace placer;
  const bool only_checks = count == 3 && std::string(words[1]) == "--check";
  if (count != 2 && !only_checks) {
    std::fputs("usage: placer_schemas [--check] FOLDER\n", stderr);
    return 1;
  }
  const std::string folder = words[count - 1];
  const bool devices = write_schema(folder + "/devices.schema.json", only_checks, [](Json& parts) {
    set_fields<Device>(parts["device"], kDeviceFields);
    set_fields<Link>(parts["link"], kLinkFields);
    set_fields<MessageBandwidth>(parts["message_bandwidth"], kMessageBandwidthFields);
  });
  const bool graph = write_schema(folder + "/graph.schema.json", only_checks, [](Json& parts) {
    set_fields<Op>(parts["op"], kOpFields);
    set_fields<OutputShape>(parts["output"], kOutputFields);
    set_fields<Tensor>(parts["tensor"], kTensorFields);
  });
  return devices && graph ? 0 : 1;
}

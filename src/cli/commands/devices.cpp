#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/hardware.hpp"
#include "placer/io/probe.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

struct DevicesFlags {
  std::optional<std::string> output;
  bool probe = false, json = false;
};
constexpr std::array<FlagRow<DevicesFlags>, 3> kDevicesCommandFlags = {
    text_flag("output", 'o', &DevicesFlags::output, "FILE",
              "write the devices here instead of printing them"),
    switch_flag("probe", 0, &DevicesFlags::probe,
                "the devices of this machine, from nvidia-smi, /proc and /sys"),
    switch_flag("json", 0, &DevicesFlags::json, "print the kinds as JSON instead of text"),
};

Json bus_json(const Bus& bus) {
  return {{"name", bus.name},
          {"bytes_per_second", bus.giga_bytes_per_second * 1e9},
          {"latency_seconds", bus.latency_microseconds / 1e6}};
}

Json kind_json(const Hardware& kind) {
  const Peaks& peaks = kind.peaks;
  Json row;
  row["name"] = kind.name;
  row["type"] = kind.type;
  row["memory_bytes"] = kind.memory_bytes;
  row["flops_per_second"] = {{"float32", peaks.tera_float32 * 1e12}};
  if (peaks.tera_tf32 > 0) row["flops_per_second"]["tf32"] = peaks.tera_tf32 * 1e12;
  if (peaks.tera_float16 > 0) row["flops_per_second"]["float16"] = peaks.tera_float16 * 1e12;
  row["bytes_per_second"] = kind.giga_bytes_per_second * 1e9;
  row["launch_seconds"] = kind.launch_microseconds / 1e6;
  row["efficiency"] = kind.efficiency;
  row["host_link"] = bus_json(find_bus(kind.host_link));
  row["fabric"] =
      kind.fabric == Fabric::kNone ? Json(nullptr) : bus_json(find_bus(kind.fabric_link));
  row["source"] = kind.source;
  return row;
}

std::string kinds_json() {
  Json object;
  object["version"] = PLACER_VERSION;
  object["kinds"] = Json::array();
  for (const Hardware& kind : all_hardware()) object["kinds"].push_back(kind_json(kind));
  object["shipped"] = shipped_device_names();
  return object.dump(2) + "\n";
}

std::string tera_text(double tera) { return tera > 0 ? fmt::format("{}", tera) : ""; }

std::string kinds_text(const Look& look) {
  Rows rows = {{"kind", "memory", "float32", "tf32", "float16", "GB/s", "host", "fabric",
                "whence (peaks in TFLOP/s, dense)"}};
  for (const Hardware& kind : all_hardware()) {
    const Peaks& peaks = kind.peaks;
    rows.push_back({std::string(kind.name), bytes_text(static_cast<double>(kind.memory_bytes)),
                    tera_text(peaks.tera_float32), tera_text(peaks.tera_tf32),
                    tera_text(peaks.tera_float16), tera_text(kind.giga_bytes_per_second),
                    std::string(kind.host_link), std::string(kind.fabric_link),
                    std::string(kind.source)});
  }
  const std::string how = fmt::format(
      "\nA list counts kinds: 2xA100-80,1xCPU. A kind may have another memory (2xRTX3060:12GiB; of "
      "a V100-16 the 16 GB of the data sheet are 14.90 GiB, and V100-16:16GiB has more), "
      "CPU "
      "cores and memory channels (1xCPU:32c8ch), and hosts a network between them "
      "(2*(4xA100-80,1xCPU)@200Gbps; 100Gbps unless given). 'placer devices LIST' prints the file, "
      "to be edited. Shipped: {}.\n",
      join(shipped_device_names()));
  return table_rows(std::move(rows), {6, 7, 8}, look) +
         wrapped(how, std::min(look.width, kProseWidth), 0);
}

/// The devices of this machine, which the log is told too.
std::string probed(const Console& console) {
  const ProbedMachine machine = probe_machine();
  console.log.tell(EventLevel::kWarn, "", [&] {
    return fmt::format("this machine: --devices {} ({})", machine.list, join(machine.notes, "; "));
  });
  return machine.list;
}

int devices(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kDevicesCommandFlags, arguments);
  const bool is_named = !arguments.positionals.empty();
  if (flags.probe && is_named) {
    throw Error(fmt::format("devices: expected a spec or --probe, found both: '{}'",
                            one_line(arguments.positionals[0], 80)));
  }
  if (!flags.probe && !is_named) {
    if (flags.output) throw Error("devices: --output: expected a spec or --probe, found neither");
    console.out << (flags.json ? kinds_json() : kinds_text(console.look));
    return kDone;
  }
  const std::string output = flags.output.value_or(std::string(kStandardStream));
  const std::optional<std::string> spec =
      is_named ? std::optional(arguments.positionals[0]) : std::nullopt;
  check_outputs({{"--output", output}}, {{"SPEC", spec}});
  write_output(output, write_devices(find_devices(spec ? *spec : probed(console))), console);
  return kDone;
}

}  // namespace

Command devices_command() {
  return {.name = "devices",
          .summary = "list the kinds of devices, or print the file that a list of them stands for",
          .positionals = {{"SPEC", "what --devices takes: a list, a shipped name or a file",
                           Positional::Count::kOptional}},
          .flags = flags_of(kDevicesCommandFlags),
          .examples = {"placer devices", "placer devices 2xA100-80,1xCPU --output machine.json"},
          .run = devices};
}

}  // namespace placer

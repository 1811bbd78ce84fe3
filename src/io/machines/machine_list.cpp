#include "io/machines/machine_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostOfAKind = 64, kMostHosts = 64;
constexpr std::string_view kDigits = "0123456789";

// A CPU of which only cores and memory channels are known: 2.5 GHz x 32 operations of float32,
// DDR5-4800, and a module of 32 GiB on each channel.
constexpr double kFlopsOfACore = 80e9, kBytesOfAChannel = 38.4e9;
constexpr std::int64_t kMemoryOfAChannel = std::int64_t{32} << 30;
constexpr std::size_t kMostCores = 1024, kMostChannels = 64;

constexpr double kLeastMemory = 0x1p20, kMostMemory = 0x1p50;

constexpr double kStandardNetwork = 100e9;  // bits per second
constexpr double kLeastNetwork = 1e6, kMostNetwork = 1e15;
constexpr double kBitsOfAByte = 8, kShareOfCopies = 0.9;

struct Counted {
  std::string_view count, rest;  // "2", "A100-80"
};

/// What stands before and behind `mark`, where digits stand before it.
std::optional<Counted> counted(std::string_view text, char mark) {
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  if (digits == 0 || digits == text.size() || text[digits] != mark) return std::nullopt;
  return Counted{text.substr(0, digits), text.substr(digits + 1)};
}

std::optional<std::size_t> number_from_1(std::string_view text, std::size_t most) {
  std::size_t number = 0;
  const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = fault == std::errc() && stopped == text.data() + text.size();
  return is_whole && number >= 1 && number <= most ? std::optional(number) : std::nullopt;
}

/// What stands between commas outside of parentheses.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char letter = at < text.size() ? text[at] : ',';
    if (letter == '(') ++depth;
    if (letter == ')' && depth > 0) --depth;
    if (at < text.size() && (letter != ',' || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

/// Paths have dots that are no decimal points.
bool looks_like_a_path(std::string_view text) {
  if (text.find_first_of("/{") != std::string_view::npos) return true;
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    const auto is_digit = [&](std::size_t place) {
      return place < text.size() && kDigits.find(text[place]) != std::string_view::npos;
    };
    if (!is_digit(at - 1) || !is_digit(at + 1)) return true;
  }
  return false;
}

bool is_list(std::string_view text) {
  if (looks_like_a_path(text)) return false;
  if (text.find('(') != std::string_view::npos) return true;
  const std::vector<std::string_view> parts = parts_of(text);
  const std::string_view name = parts[0].substr(0, parts[0].find(':'));
  return parts.size() > 1 || counted(parts[0], 'x') || find_hardware(name) != nullptr;
}

Device figures_of(const Hardware& kind) {
  Device device;
  device.type = kind.type;
  device.memory_bytes = kind.memory_bytes;
  device.flops_per_second.of_others = kind.peaks.tera_float32 * 1e12;
  if (kind.peaks.tells_types()) {
    const auto add = [&](const char* dtype, double tera) {
      if (tera > 0) device.flops_per_second.of_dtype.emplace_back(dtype, tera * 1e12);
    };
    add("float32", kind.peaks.tera_float32);
    add("tf32", kind.peaks.tera_tf32);
    add("float16", kind.peaks.tera_float16);
  }
  device.bytes_per_second = kind.giga_bytes_per_second * 1e9;
  device.launch_seconds = kind.launch_microseconds / 1e6;
  device.efficiency = kind.efficiency;
  return device;
}

/// All kinds, or those of its family ("A100-40, A100-80, ..." for A100).
std::vector<std::string> kinds_like(const std::string& found) {
  const std::vector<std::string> names = hardware_names();
  std::vector<std::string> family;
  std::ranges::copy_if(names, std::back_inserter(family),
                       [&](const std::string& name) { return name.starts_with(found + "-"); });
  return family.empty() ? names : family;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  MachineList read() const {
    MachineList list;
    std::string_view rest = text_;
    double network = kStandardNetwork;
    const std::size_t sign = text_.rfind('@');
    if (sign != std::string_view::npos) {
      network = bits_per_second(trimmed(text_.substr(sign + 1)));
      rest = trimmed(text_.substr(0, sign));
    }
    list.network_bytes_per_second = network * kShareOfCopies / kBitsOfAByte;
    const bool names_hosts = rest.find('(') != std::string_view::npos;
    if (sign != std::string_view::npos && !names_hosts) fail_hosts(rest);
    if (!names_hosts) list.hosts.push_back({1, kinds_of(rest)});
    if (names_hosts) {
      for (const std::string_view part : parts_of(rest)) list.hosts.push_back(hosts_of(part));
    }
    return list;
  }

 private:
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw Error(fmt::format("devices: expected {}, found '{}' in '{}'", expected,
                            one_line(found, 80), one_line(text_, 200)));
  }

  [[noreturn]] void fail_hosts(std::string_view found) const {
    fail("hosts in parentheses, such as 2*(4xA100-80,1xCPU)", found);
  }

  /// Of a network: "200Gbps".
  double bits_per_second(std::string_view text) const {
    constexpr std::string_view kUnit = "bps";
    if (text.ends_with(kUnit)) {
      const auto bits = parse_quantity(text.substr(0, text.size() - kUnit.size()), Measure::kPlain);
      if (bits && *bits >= kLeastNetwork && *bits <= kMostNetwork) return *bits;
    }
    fail("a network such as @200Gbps", text);
  }

  ListedHosts hosts_of(std::string_view part) const {
    const auto many = counted(part, '*');
    const std::string_view host = trimmed(many ? many->rest : part);
    const bool is_host = host.starts_with('(') && host.find(')') == host.size() - 1;
    if (!is_host || host.find('(', 1) != std::string_view::npos) fail_hosts(part);
    const auto count = number_from_1(many ? many->count : "1", kMostHosts);
    if (!count) fail(fmt::format("1 to {} hosts", kMostHosts), part);
    return {*count, kinds_of(host.substr(1, host.size() - 2))};
  }

  std::vector<ListedKind> kinds_of(std::string_view text) const {
    std::vector<ListedKind> kinds;
    for (const std::string_view part : parts_of(text)) {
      const auto many = counted(part, 'x');
      const std::string_view item = many ? many->rest : part;
      const std::string_view name = item.substr(0, item.find(':'));
      const Hardware& kind = kind_of(std::string(name));
      const auto count = number_from_1(many ? many->count : "1", kMostOfAKind);
      if (!count)
        fail(fmt::format("1 to {} devices of a kind (a file may have more)", kMostOfAKind), part);
      kinds.push_back({&kind, *count, figures_of(kind)});
      for (std::size_t begin = name.size(); begin < item.size();) {
        const std::size_t end = std::min(item.find(':', begin + 1), item.size());
        change(item.substr(begin + 1, end - begin - 1), is_any_cpu(name), kinds.back().figures);
        begin = end;
      }
    }
    return kinds;
  }

  const Hardware& kind_of(const std::string& name) const {
    if (const Hardware* kind = find_hardware(name)) return *kind;
    const std::vector<std::string> kinds = kinds_like(name);
    const std::string hint = did_you_mean(name, kinds);
    throw Error(
        fmt::format("devices: expected a list such as 2xA100-80,1xCPU of {}, found '{}'{} in '{}'",
                    listed_before(hint, kinds), one_line(name, 60), hint, one_line(text_, 200)));
  }

  /// By ":12GiB", or, of "CPU", by ":32c8ch".
  void change(std::string_view detail, bool is_cpu, Device& figures) const {
    if (is_cpu && change_cores(detail, figures)) return;
    const auto bytes = parse_quantity(detail, Measure::kBytes);
    const bool has_unit = !detail.empty() && detail.back() == 'B';
    if (bytes && has_unit && *bytes >= kLeastMemory && *bytes <= kMostMemory) {
      figures.memory_bytes = static_cast<std::int64_t>(*bytes);
      return;
    }
    fail(is_cpu ? "cores and memory channels such as 32c8ch, or a memory such as 64GiB"
                : "a memory such as 12GiB",
         detail);
  }

  bool change_cores(std::string_view detail, Device& figures) const {
    const auto cores = counted(detail, 'c');
    if (!cores || !cores->rest.ends_with("ch")) return false;
    const auto core_count = number_from_1(cores->count, kMostCores);
    const auto channels =
        number_from_1(cores->rest.substr(0, cores->rest.size() - 2), kMostChannels);
    if (!core_count || !channels) return false;
    figures.flops_per_second.of_others = static_cast<double>(*core_count) * kFlopsOfACore;
    figures.bytes_per_second = static_cast<double>(*channels) * kBytesOfAChannel;
    figures.memory_bytes = static_cast<std::int64_t>(*channels) * kMemoryOfAChannel;
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::optional<MachineList> parse_machine_list(const std::string& text) {
  if (!is_list(text)) return std::nullopt;
  return Reader(text).read();
}

}  // namespace placer

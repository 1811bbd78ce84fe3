#include "io/machines/devices_shorthand.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "io/machines/machine_links.hpp"
#include "io/machines/machine_list.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostOfAHost = 64, kMostOfAll = 128;

/// Devices in the order of the list, numbered by type through all hosts; PCIe switches are filled
/// in that order, one kind each.
class Placing {
 public:
  void add_host(const std::vector<ListedKind>& kinds) {
    std::map<std::string_view, std::size_t> of_kind;
    for (const ListedKind& listed : kinds) {
      for (std::size_t i = 0; i < listed.count; ++i) add(listed, of_kind[listed.kind->name]++);
    }
    ++hosts_;
  }

  std::vector<Placed> placed;
  std::vector<Device> devices;

 private:
  void add(const ListedKind& listed, std::size_t index) {
    const Hardware& kind = *listed.kind;
    const bool shares = kind.per_switch > 1;
    if (shares && index % kind.per_switch == 0) ++switches_;
    Device device = listed.figures;
    device.name = fmt::format("{}:{}", kind.type, of_type_[kind.type]++);
    placed.push_back(
        {&kind, device.name, index, shares ? fmt::format("switch:{}", switches_ - 1) : "", hosts_});
    devices.push_back(std::move(device));
  }

  std::map<std::string_view, std::size_t> of_type_;
  std::size_t switches_ = 0, hosts_ = 0;
};

Placing place(const MachineList& list, const std::string& text) {
  std::size_t all = 0;
  for (const ListedHosts& hosts : list.hosts) {
    std::size_t of_host = 0;
    for (const ListedKind& listed : hosts.kinds) of_host += listed.count;
    all += hosts.count * of_host;
    const bool is_one = list.hosts.size() == 1 && hosts.count == 1;
    if (of_host <= kMostOfAHost && all <= kMostOfAll) continue;
    throw Error(
        fmt::format("devices: expected at most {} devices (a file may have more), found {} in '{}'",
                    is_one ? kMostOfAHost : kMostOfAll, all, one_line(text, 200)));
  }
  Placing placing;
  for (const ListedHosts& hosts : list.hosts) {
    for (std::size_t host = 0; host < hosts.count; ++host) placing.add_host(hosts.kinds);
  }
  return placing;
}

}  // namespace

std::optional<Topology> topology_of_shorthand(const std::string& text) {
  const std::optional<MachineList> list = parse_machine_list(text);
  if (!list) return {};
  Placing placing = place(*list, text);
  std::vector<Link> links;
  for (const Placed& from : placing.placed) {
    for (const Placed& to : placing.placed) {
      if (from.name == to.name) continue;
      links.push_back(from.host == to.host
                          ? link_within_host(from, to)
                          : link_between_hosts(from, to, list->network_bytes_per_second));
    }
  }
  return Topology(std::move(placing.devices), std::move(links));
}

}  // namespace placer

#include "cli/shared/algorithm.hpp"

#include <functional>
#include <map>
#include <string>

#include "placer/io/exec.hpp"

namespace placer {

const Optimizer& find_algorithm(std::string_view name) {
  if (!name.starts_with(kExecPrefix)) return find_optimizer(name);
  static std::map<std::string, Optimizer, std::less<>> made;
  const auto known = made.find(name);
  if (known != made.end()) return known->second;
  return made.emplace(name, exec_optimizer(name)).first->second;
}

}  // namespace placer

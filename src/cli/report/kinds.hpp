#pragma once

#include <map>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// By device: what `value_of` says of the first of its kind. As long as no link is used, devices of
/// a kind are all the same.
template <class ValueOf>
auto values_by_kind(const Problem& problem, ValueOf value_of) {
  std::vector<decltype(value_of(DeviceId(0)))> values;
  std::map<std::size_t, DeviceId> firsts;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const auto [first, is_new] = firsts.emplace(problem.costs().kind(device), device);
    values.push_back(is_new ? value_of(device) : values[first->second.index()]);
  }
  return values;
}

}  // namespace placer

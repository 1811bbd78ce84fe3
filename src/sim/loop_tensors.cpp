// How tensors travel and live in the event loop. One that nobody reads is the affair of its op.
#include <algorithm>

#include "sim/channels.hpp"
#include "sim/loop.hpp"

namespace placer {

/// Gives a new tensor to its consumers here and requests its transfers, one for each other device.
void Loop::send(std::uint32_t tensor, std::uint32_t from) {
  const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
  const auto first_record = static_cast<std::uint32_t>(records_.size());
  std::uint32_t local = 0;
  for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edge_consumers[edge];
    const std::uint32_t to = ops_[consumer].device;
    if (to == from || bytes == 0) {
      ++local;
      deliver(consumer);
      continue;
    }
    const auto record = std::find_if(records_.begin() + first_record, records_.end(),
                                     [to](const Record& known) { return known.device == to; });
    if (record != records_.end()) {
      ++record->waiting;
    } else {
      requests_.push_back(static_cast<std::uint32_t>(records_.size()));
      records_.push_back({tensor, to, 1});
    }
  }
  const auto end_record = static_cast<std::uint32_t>(records_.size());
  // One reference more keeps the tensor to the end.
  tensors_[tensor] = {bytes, from,
                      local + end_record - first_record + (layout_.keep[tensor] != 0 ? 1U : 0U),
                      first_record, end_record};
}

void Loop::arrive(std::uint32_t record) {
  const auto [tensor, device, waiting] = records_[record];
  const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
  for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edge_consumers[edge];
    if (ops_[consumer].device == device) deliver(consumer);
  }
  if (memory_.is_on()) release(tensor);
}

/// One thing less holds the tensor on its producer's device.
void Loop::release(std::uint32_t tensor) {
  TensorState& state = tensors_[tensor];
  if (--state.references == 0) memory_.free(state.device, state.bytes);
}

void Loop::release_inputs(std::uint32_t op) {
  const std::uint32_t device = ops_[op].device;
  for (std::uint32_t i = layout_.first_input[op]; i < layout_.first_input[op + 1]; ++i) {
    const std::uint32_t tensor = layout_.inputs[i];
    const TensorState& state = tensors_[tensor];
    if (state.device == device) {
      release(tensor);
      continue;
    }
    for (std::uint32_t record = state.first_record; record < state.end_record; ++record) {
      if (records_[record].device != device) continue;
      if (--records_[record].waiting == 0) memory_.free(device, state.bytes);
      break;
    }
  }
}

/// In the order (tensor id, device id).
void Loop::serve_requests() {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t tensor_a = layout_.tensor_id[records_[a].tensor];
    const std::uint32_t tensor_b = layout_.tensor_id[records_[b].tensor];
    return tensor_a != tensor_b ? tensor_a < tensor_b : records_[a].device < records_[b].device;
  };
  if (requests_.size() > 1) std::ranges::sort(requests_, before);
  for (const std::uint32_t request : requests_) serve(request);
  requests_.clear();
}

/// Channels are reserved while waiting.
void Loop::serve(std::uint32_t request) {
  const auto [tensor, to, waiting] = records_[request];
  const std::uint32_t from = tensors_[tensor].device;
  const LinkChannels channels = problem_.topology().channels(DeviceId(from), DeviceId(to));
  const auto [begin_ps, end_ps] =
      occupy_route(channel_free_at_, channels, now_, transfer_ps(tensor, from, to));
  const std::int64_t bytes = layout_.tensors[tensor].bytes;
  if (begin_ps == now_) {
    memory_.hold(to, bytes);
  } else if (memory_.is_on()) {
    add_event({begin_ps, EventKind::kBegins, request});
  }
  add_event({end_ps, EventKind::kArrives, request});
  if (schedule_ != nullptr) {
    const TensorId id(layout_.tensor_id[tensor]);
    schedule_->transfers.push_back({id, DeviceId(from), DeviceId(to), now_, begin_ps, end_ps});
    schedule_->bytes_moved += bytes;
  }
}

}  // namespace placer

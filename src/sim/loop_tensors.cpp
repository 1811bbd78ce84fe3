// How tensors travel and live in the event loop.
#include <algorithm>

#include "sim/loop.hpp"

namespace placer {
namespace {

constexpr std::uint32_t kLocal = ~0U;     // edge_record_: producer and consumer share a device
constexpr std::uint32_t kNoMemory = ~1U;  // edge_record_: a tensor of 0 bytes from elsewhere

}  // namespace

/// Gives a new tensor to its consumers here and requests its transfers, one for each other device.
void Loop::send(std::uint32_t tensor, std::uint32_t from) {
  const Layout::TensorInfo& info = layout_.tensors()[tensor];
  std::uint32_t references = 0;
  receivers_.clear();
  for (std::uint32_t edge = info.first_edge; edge < info.end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edges()[edge].consumer;
    const std::uint32_t to = device_of_[consumer];
    if (to == from || info.bytes == 0) {
      edge_record_[edge] = to == from ? kLocal : kNoMemory;
      references += to == from ? 1 : 0;
      deliver(consumer);
      continue;
    }
    if (std::ranges::find(receivers_, to) == receivers_.end()) {
      receivers_.push_back(to);
      devices_[to].record = static_cast<std::uint32_t>(records_.size());
      requests_.push_back(devices_[to].record);
      records_.push_back({tensor, to});
      ++references;
    }
    edge_record_[edge] = devices_[to].record;
    ++records_[devices_[to].record].waiting;
  }
  tensor_references_[tensor] = references;
  if (references == 0 && !info.keep) memory_.free(from, info.bytes);
}

void Loop::arrive(std::uint32_t record) {
  const auto [tensor, device, waiting] = records_[record];
  const Layout::TensorInfo& info = layout_.tensors()[tensor];
  for (std::uint32_t edge = info.first_edge; edge < info.end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edges()[edge].consumer;
    if (device_of_[consumer] == device) deliver(consumer);
  }
  if (--tensor_references_[tensor] == 0 && !info.keep)
    memory_.free(device_of_[info.producer], info.bytes);
}

void Loop::release_inputs(std::uint32_t op) {
  for (const std::uint32_t edge : layout_.input_edges(op)) {
    const std::uint32_t tensor = layout_.edges()[edge].tensor;
    const Layout::TensorInfo& info = layout_.tensors()[tensor];
    const std::uint32_t record = edge_record_[edge];
    if (record == kNoMemory) continue;
    if (record == kLocal) {
      if (--tensor_references_[tensor] == 0 && !info.keep) memory_.free(device_of_[op], info.bytes);
    } else if (--records_[record].waiting == 0) {
      memory_.free(device_of_[op], info.bytes);
    }
  }
}

/// In the order (tensor id, device id); channels are reserved while waiting.
void Loop::serve_requests() {
  std::ranges::sort(requests_, [&](std::uint32_t a, std::uint32_t b) {
    if (records_[a].tensor != records_[b].tensor) return records_[a].tensor < records_[b].tensor;
    return records_[a].device < records_[b].device;
  });
  for (const std::uint32_t request : requests_) {
    const Record& record = records_[request];
    const Layout::TensorInfo& info = layout_.tensors()[record.tensor];
    const DeviceId from = DeviceId(device_of_[info.producer]);
    const DeviceId to = DeviceId(record.device);
    const std::vector<ChannelId>& channels = problem_.topology().route(from, to)->channels;
    Picoseconds begin = now_;
    for (const ChannelId channel : channels) {
      begin = std::max(begin, channel_free_at_[channel.index()]);
    }
    const TensorId tensor(record.tensor);
    const Picoseconds end = begin + problem_.costs().transfer_ps(tensor, from, to);
    for (const ChannelId channel : channels) channel_free_at_[channel.index()] = end;
    if (begin == now_) {
      memory_.hold(record.device, info.bytes);
    } else {
      add_event(begin, EventKind::kBegins, request);
    }
    add_event(end, EventKind::kArrives, request);
    if (schedule_ != nullptr) {
      schedule_->transfers.push_back({tensor, from, to, now_, begin, end});
      schedule_->bytes_moved += info.bytes;
    }
  }
  requests_.clear();
}

}  // namespace placer

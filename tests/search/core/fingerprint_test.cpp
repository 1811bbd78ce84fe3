#include "search/core/fingerprint.hpp"

#include <catch2/catch.hpp>

#include "support/fields.hpp"

namespace placer::testing {
namespace {

/// What a problem is made of, so that one part can be changed. Three ops with costs on three
/// devices; one tensor from op 0 to op 2.
struct Parts {
  std::vector<Device> devices;
  std::vector<Link> links;
  Contention contention = Contention::kLink;
  std::vector<Op> ops;
  std::vector<Tensor> tensors;

  Parts() {
    for (const char* name : {"cpu:0", "gpu:0", "tpu:0"}) {
      Device& device = devices.emplace_back();
      device.name = name;
      device.type = std::string(name).substr(0, 3);
      device.flops_per_second.of_others = 10;
      device.bytes_per_second = 10;
    }
    links = {{"*", "*", 1, 0, {}}, {"cpu", "gpu", 2, 0, {"wire"}}};
    for (const char* name : {"a", "b", "c"}) {
      Op& op = ops.emplace_back();
      op.name = name;
      op.flops = 100;
      op.bytes = 100;
      op.devices = {"*"};
      op.outputs = {{{4}, "float32"}};
    }
    Tensor& tensor = tensors.emplace_back();
    tensor.producer = OpId(0);
    tensor.consumers = {OpId(2)};
    tensor.bytes = 16;
  }

  Problem problem() const {
    return Problem(Graph("g", ops, tensors), Topology(devices, links, contention));
  }
};

std::int64_t fingerprint_of(const Parts& parts) { return fingerprint(parts.problem()); }

/// Changes each field of `object(parts)`, alone.
template <class Rows, class Object>
void check_each_field(const Rows& rows, Object object) {
  for_each_field(rows, [&](const auto& row) {
    CAPTURE(row.name);
    Parts parts;
    change(object(parts).*row.member);
    const bool is_same = fingerprint_of(parts) == fingerprint_of(Parts());
    CHECK(is_same == (row.rules.bearing == Bearing::kLabel));
  });
}

TEST_CASE("A change of any one field of a device, an op or a tensor changes the fingerprint") {
  CHECK(fingerprint_of(Parts()) == fingerprint_of(Parts()));
  check_each_field(kDeviceFields, [](Parts& parts) -> Device& { return parts.devices[2]; });
  check_each_field(kOpFields, [](Parts& parts) -> Op& { return parts.ops[1]; });
  check_each_field(kOutputFields,
                   [](Parts& parts) -> OutputShape& { return parts.ops[1].outputs[0]; });
  check_each_field(kTensorFields, [](Parts& parts) -> Tensor& { return parts.tensors[0]; });
}

TEST_CASE("A change of any one field of a link changes the fingerprint") {
  for_each_field(kLinkFields, [](const auto& row) {
    CAPTURE(row.name);
    Parts parts;
    auto& member = parts.links[1].*row.member;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>) {
      member = "*";  // another name would match no device
    } else {
      change(member);
    }
    CHECK(fingerprint_of(parts) != fingerprint_of(Parts()));
  });
}

TEST_CASE("Another contention, group or peak of a type gives another fingerprint") {
  Parts shared;
  shared.contention = Contention::kPorts;
  CHECK(fingerprint_of(shared) != fingerprint_of(Parts()));
  Parts peaks;
  peaks.devices[0].flops_per_second.of_dtype = {{"float16", 20}};
  CHECK(fingerprint_of(peaks) != fingerprint_of(Parts()));
  const Problem apart = Parts().problem();
  const Problem merged = apart.with_groups({GroupId(0), GroupId(1), GroupId(0)});
  CHECK(fingerprint(merged) != fingerprint(apart));
}

TEST_CASE("Two tensors of 8 bytes have another fingerprint than one of 16") {
  Parts split;
  split.tensors[0].bytes = 8;
  split.tensors.push_back(split.tensors[0]);
  CHECK(fingerprint_of(split) != fingerprint_of(Parts()));
}

}  // namespace
}  // namespace placer::testing

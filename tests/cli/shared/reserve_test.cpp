#include "cli/shared/reserve.hpp"

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"

namespace placer {
namespace {

TEST_CASE("A reserve is taken of each accelerator, not of CPUs and hosts") {
  const Topology whole = find_devices("1xRTX3060,1xT4,1xCPU");
  const Topology left = with_reserve(whole, "1GiB");
  CHECK(left.devices()[0].memory_bytes == 11'811'160'064);  // 11 GiB
  CHECK(left.devices()[1].memory_bytes == 16'000'000'000 - 1'073'741'824);
  CHECK(left.devices()[2].memory_bytes == whole.devices()[2].memory_bytes);
  CHECK(left.links().size() == whole.links().size());
  std::vector<Device> devices = whole.devices();
  devices[0].host = true;
  const Topology host(devices, whole.links());
  CHECK(with_reserve(host, "1GiB").devices()[0].memory_bytes == devices[0].memory_bytes);
}

TEST_CASE("A reserve that is no size, or more than an accelerator has, is refused") {
  const Topology topology = find_devices("1xRTX3060");
  for (const char* size : {"much", "-1GiB", "5s", ""}) {
    CHECK_THROWS_WITH(with_reserve(topology, size),
                      "option --reserve: expected a size such as 1GiB or 500MiB, found '" +
                          std::string(size) + "'");
  }
  CHECK_THROWS_WITH(with_reserve(topology, "13GiB"),
                    "option --reserve: expected at most the 12.00 GiB of 'gpu:0', found 13GiB");
}

TEST_CASE("One accelerator may have a reserve of its own, the last that is said of it") {
  const Topology whole = find_devices("2xRTX3060:12GiB,1xCPU");
  const Topology left = with_reserve(whole, "1GiB,gpu:1=5GiB,gpu:1=6GiB");
  CHECK(left.devices()[0].memory_bytes == std::int64_t{11} << 30);
  CHECK(left.devices()[1].memory_bytes == std::int64_t{6} << 30);
  CHECK(with_reserve(whole, "gpu:1=6GiB").devices()[0].memory_bytes == std::int64_t{12} << 30);
  for (const std::string name : {"gpu:2", "cpu:0", ""}) {
    CHECK_THROWS_WITH(
        with_reserve(whole, name + "=1GiB"),
        "option --reserve: expected an accelerator of the spec, found '" + name + "'");
  }
}

TEST_CASE("A saved request holds the devices that a reserve leaves, and runs again") {
  const TempFolder folder;
  const std::string g = folder.file("g.json"), p = folder.file("p.json"), q = folder.file("q.json");
  REQUIRE(run({"generate", "vgg16", "--batch", "1", "-o", g}).code == kDone);
  const Ran ran =
      run({"optimize", g, "--devices", "2gpu", "--reserve", "1GiB", "--algo", "heft", "-o", p});
  REQUIRE(ran.code == kDone);
  CHECK_THAT(ran.out, Catch::Contains("2gpu (from --devices, 1GiB of each accelerator reserved)"));
  const auto devices = nlohmann::json::parse(text_of(p))["request"]["devices"]["devices"];
  CHECK(devices[1]["memory_bytes"] == 12'000'000'000 - 1'073'741'824);
  REQUIRE(run({"optimize", g, "--config", p, "-o", q}).code == kDone);
  CHECK(text_of(p) == text_of(q));
  const std::string own = folder.write("own.json", join_graph());
  REQUIRE(run({"optimize", own, "--reserve", "60B", "--algo", "heft", "-o", p}).code == kDone);
  REQUIRE(run({"optimize", own, "--config", p, "-o", q}).code == kDone);
  CHECK(text_of(p) == text_of(q));
}

TEST_CASE("A runtime takes a GiB of each accelerator that someone names, or a tenth") {
  const Topology whole = find_devices("1xRTX3060,1xRTX3060:4GiB,1xCPU");
  const Topology left = with_reserve(whole, RuntimeReserve());
  CHECK(left.devices()[0].memory_bytes == 11'811'160'064);               // 11 GiB
  CHECK(left.devices()[1].memory_bytes == 4'294'967'296 - 429'496'729);  // 0.4 GiB less
  CHECK(left.devices()[2].memory_bytes == whole.devices()[2].memory_bytes);
  CHECK(reserve_text(whole, left) == "409.6 MiB to 1.000 GiB of each accelerator");
  CHECK(reserve_text(whole, whole).empty());
}

TEST_CASE("Summaries say what is reserved: under --for and in fit, never of a plain search") {
  const TempFolder folder;
  const std::string g = folder.file("g.json"), p = folder.file("p.json");
  REQUIRE(run({"generate", "llm_decode", "--layers", "4", "-o", g}).code == kDone);
  const auto summary = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, g);
    return run(words).out;
  };
  const std::vector<std::string> search = {"optimize", "--devices", "2xV100-16", "--evaluations",
                                           "30"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), search.begin(), search.end());
    return summary(words);
  };
  CHECK_THAT(with({}), Catch::Contains("2xV100-16 (from --devices)"));
  CHECK_THAT(
      with({"--for", "vllm"}),
      Catch::Contains("(from --devices, 1.490 GiB of each accelerator reserved for the runtime)"));
  CHECK_THAT(with({"--for", "hf", "--reserve", "0B"}),
             Catch::Contains("(from --devices, 0B of each accelerator reserved)"));
  CHECK_THAT(
      summary({"fit", "--devices", "2xV100-16"}),
      Catch::Contains("(from --devices, 1.000 GiB of each accelerator reserved for the runtime)"));
  // A saved request has what is left: nothing is taken twice.
  REQUIRE(
      run({"optimize", g, "--devices", "2xV100-16", "--for", "hf", "--evaluations", "50", "-o", p})
          .code == kDone);
  const auto again = run_json({"simulate", g, "--placement", p, "--json"});
  CHECK(again["per_device"][0]["capacity_bytes"] == 16'000'000'000 - 1'073'741'824);
}

}  // namespace
}  // namespace placer

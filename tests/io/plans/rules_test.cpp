#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"
#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using namespace plans;

/// Why a target does not take the model with other names; "" where it does.
std::string unfit(const std::string& target, const std::vector<std::string>& names,
                  const std::string& type = "matmul") {
  const Graph whole = model();
  std::vector<Op> ops = whole.ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].name = names[i];
    ops[i].type = type;
  }
  try {
    problem_for(target, Graph("g", std::move(ops), whole.tensors()));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Encoders beside decoders are no layers for vLLM and llama.cpp, but modules for PyTorch",
          "[plans]") {
  const std::vector<std::string> names = {"/in/G",      "/enc.0/a/M", "/enc.0/b/M",
                                          "/enc.1/a/M", "/enc.1/b/M", "/dec.0/a/M",
                                          "/dec.0/b/M", "/dec.1/a/M", "/out/M"};
  CHECK(unfit("vllm", names) ==
        "plan for vllm: expected layers of a single list, as decoders have them, found 'enc.1' and "
        "'dec.0'");
  CHECK(unfit("llamacpp", names).find("found 'enc.1' and 'dec.0'") != std::string::npos);
  CHECK(unfit("torch", names).empty());
  CHECK(unfit("hf", names).empty());
}

TEST_CASE("Recurrent layers are refused where transformers alone run", "[plans]") {
  const Graph whole = model();
  std::vector<std::string> names;
  for (const Op& op : whole.ops()) names.push_back(op.name);
  CHECK(unfit("vllm", names).empty());
  CHECK(unfit("vllm", names, "lstm_cell") ==
        "plan for vllm: expected layers of a transformer, found '/model/embed/Gather', of type "
        "lstm_cell");
  CHECK(unfit("torch", names, "lstm_cell").empty());
}

TEST_CASE("Layers side by side are no chain", "[plans]") {
  std::vector<Tensor> tensors = {testing::tensor(0, {1, 3, 5}, 8), testing::tensor(1, {2}, 8),
                                 testing::tensor(3, {4}, 8),       testing::tensor(5, {6}, 8),
                                 testing::tensor(6, {7}, 8),       testing::tensor(7, {8}, 8)};
  CHECK_THROWS_WITH(problem_for("llamacpp", Graph("g", model().ops(), std::move(tensors))),
                    "plan for llamacpp: expected layers that each read from the one before, found "
                    "'model.layers.1' that does not read from 'model.layers.0'");
}

TEST_CASE("Tied embeddings take their bytes at both ends of a pipeline, and once elsewhere",
          "[plans]") {
  const Graph whole = model();
  std::vector<Op> ops = whole.ops();
  ops[0].group = ops[8].group = "embedding";
  ops[8].params_bytes = 0;
  const Graph tied("g", ops, whole.tensors());
  CHECK(problem_for("vllm", tied).graph().op(OpId(8)).params_bytes == kGiB);
  CHECK(problem_for("llamacpp", tied).graph().op(OpId(8)).params_bytes == kGiB);
  const Problem whole_models = problem_for("hf", tied);
  CHECK(whole_models.graph().op(OpId(8)).params_bytes == 0);
  CHECK(whole_models.groups().of(OpId(0)) == whole_models.groups().of(OpId(8)));
}

}  // namespace
}  // namespace placer

#include "io/onnx/origins.hpp"

namespace placer {

void set_origins(const OnnxModel& model, const ShapedOnnx& shaped, OpsOfSteps op_of_step,
                 std::vector<Op>& ops) {
  if (ops.empty()) return;
  std::vector<OpId> reader(shaped.values.size(), OpId(0));
  for (std::size_t i = shaped.steps.size(); i-- > 0;) {
    const OnnxStep& step = shaped.steps[i];
    for (const OnnxValueId output : step.outputs) {
      if (op_of_step[i]) break;
      if (output != kNoOnnxValue) op_of_step[i] = reader[output];
    }
    const OpId op = op_of_step[i].value_or(OpId(0));
    op_of_step[i] = op;
    for (const OnnxValueId input : step.inputs) {
      if (input != kNoOnnxValue) reader[input] = op;
    }
  }
  for (std::size_t i = 0; i < shaped.steps.size(); ++i) {
    ops[op_of_step[i]->index()].nodes.push_back(model.nodes[i].title());
  }
  for (const OnnxValueId id : shaped.initializers) {
    ops[reader[id].index()].params.push_back(shaped.values[id].name);
  }
  for (Op& op : ops) {
    if (op.nodes.size() == 1 && op.nodes.front() == op.name) op.nodes.clear();
  }
}

}  // namespace placer

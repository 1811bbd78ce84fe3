// `run_onnx.mjs ORT MODEL FEEDS PLAN`: runs MODEL by the onnxruntime-node in the folder ORT, and the
// stages in the folder PLAN one after another as its pipeline.json says, on what FEEDS says. Fails
// unless each output of the stages has the bytes that the whole model's has.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const [ortFolder, modelFile, feedsFile, planFolder] = process.argv.slice(2);
const ort = createRequire(resolve(ortFolder, 'x.js'))('onnxruntime-node');
const options = {graphOptimizationLevel: 'disabled', executionMode: 'sequential'};

function tensor({type, dims, data}) {
  const values = type === 'int64' ? BigInt64Array.from(data, BigInt) : Float32Array.from(data);
  return new ort.Tensor(type, values, dims);
}

function bytes({data}) { return Buffer.from(data.buffer, data.byteOffset, data.byteLength); }

async function runStages(pipeline, feeds) {
  const made = pipeline.stages.map(() => ({}));
  const take = ({name, from}) => (from === 'model' ? feeds : made[from])[name];
  const taken = links => Object.fromEntries(links.map(link => [link.name, take(link)]));
  for (const [number, stage] of pipeline.stages.entries()) {
    const session = await ort.InferenceSession.create(join(planFolder, stage.file), options);
    made[number] = await session.run(taken(stage.inputs), stage.outputs);
  }
  return taken(pipeline.outputs);
}

const feeds = Object.fromEntries(
    Object.entries(JSON.parse(readFileSync(feedsFile))).map(([name, feed]) => [name, tensor(feed)]));
const pipeline = JSON.parse(readFileSync(join(planFolder, 'pipeline.json')));
const whole = await (await ort.InferenceSession.create(modelFile, options)).run(feeds);
const split = await runStages(pipeline, feeds);
for (const [name, expected] of Object.entries(whole)) {
  const varied = new Set(expected.data).size;
  if (varied < 2 || Array.from(expected.data).some(Number.isNaN)) {
    throw new Error(`${name}: expected outputs that tell something, found ${varied} values`);
  }
  if (split[name] === undefined || String(split[name].dims) !== String(expected.dims) ||
      Buffer.compare(bytes(split[name]), bytes(expected)) !== 0) {
    throw new Error(`${name}: the stages make other numbers than the model`);
  }
}
console.log(`${pipeline.stages.length} stages, ${Object.keys(whole).length} outputs the same`);

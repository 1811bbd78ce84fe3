// `measure_onnx.mjs ORT PLAN STEPS`: runs the stages in the folder PLAN, as `placer export --to onnx`
// writes them, by the onnxruntime-node in the folder ORT, and prints {"seconds": the median step}.
// A device whose name ends in :K is core K: a process that is pinned to it and runs one stage at a
// time by one thread, the first whose inputs are there. Tensors go from process to process through
// files in shared memory, of which small messages tell. A step begins when the first process hears
// of it and ends when the last one has made what it makes.
import {spawn} from 'node:child_process';
import {mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createConnection, createServer} from 'node:net';
import {join, resolve} from 'node:path';

const WARM_STEPS = 3;
const TYPES = {float32: Float32Array, int64: BigInt64Array, int32: Int32Array, float16: Uint16Array,
               bool: Uint8Array, uint8: Uint8Array};
const now = () => Number(process.hrtime.bigint()) / 1e9;

/** What the stages of one device do, step by step. */
class Device {
  constructor(ort, plan, folder, device) {
    Object.assign(this, {ort, folder, device});
    this.pipeline = JSON.parse(readFileSync(join(plan, 'pipeline.json')));
    this.plan = plan;
    this.own = [...this.pipeline.stages.keys()].filter(at => this.stage(at).device === device);
    this.peers = new Map();
    this.heard = new Map();  // by step: tensors by "stage name"
    this.wake = () => {};
  }
  stage(at) { return this.pipeline.stages[at]; }
  path(key, step) { return join(this.folder, `${encodeURIComponent(key)}-${step % 2}`); }

  async open(feeds) {
    const options = {graphOptimizationLevel: 'disabled', executionMode: 'sequential',
                     intraOpNumThreads: 1, interOpNumThreads: 1};
    this.feeds = Object.fromEntries(Object.entries(feeds).map(([name, {type, dims}]) => {
      const values = new TYPES[type](dims.reduce((a, b) => a * b, 1));
      for (let i = 0; i < values.length; ++i) values[i] = type === 'float32' ? (i % 97) / 97 : 1;
      return [name, new this.ort.Tensor(type, values, dims)];
    }));
    this.sessions = new Map();
    for (const at of this.own) {
      const file = join(this.plan, this.stage(at).file);
      this.sessions.set(at, await this.ort.InferenceSession.create(file, options));
    }
    // Which devices want what this one makes.
    this.readers = new Map();
    this.pipeline.stages.forEach((stage) => {
      for (const {name, from} of stage.inputs) {
        if (from === 'model' || stage.device === this.device) continue;
        const key = `${from} ${name}`;
        if (!this.readers.has(key)) this.readers.set(key, new Set());
        this.readers.get(key).add(stage.device);
      }
    });
    await new Promise(done => createServer(socket => this.listen(socket)).listen(
        join(this.folder, `socket-${this.device}`), done));
  }

  listen(socket) {
    let text = '';
    socket.on('data', bytes => {
      text += bytes;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) this.receive(JSON.parse(line));
    });
  }
  of(step) {
    if (!this.heard.has(step)) this.heard.set(step, new Map());
    return this.heard.get(step);
  }
  receive({step, key, type, dims, bytes}) {
    const buffer = new ArrayBuffer(bytes);
    const file = openSync(this.path(key, step), 'r');
    readSync(file, new Uint8Array(buffer), 0, bytes, 0);
    this.of(step).set(key, new this.ort.Tensor(type, new TYPES[type](buffer), dims));
    this.wake();
  }
  send(key, step, tensor) {
    const readers = this.readers.get(key);
    if (!readers) return;
    const {buffer, byteOffset, byteLength} = tensor.data;
    const file = openSync(this.path(key, step), 'w');
    writeSync(file, new Uint8Array(buffer, byteOffset, byteLength), 0, byteLength, 0);
    const line = JSON.stringify({step, key, type: tensor.type, dims: tensor.dims, bytes: byteLength});
    for (const reader of readers) {
      if (!this.peers.has(reader)) {
        this.peers.set(reader, createConnection(join(this.folder, `socket-${reader}`)));
      }
      this.peers.get(reader).write(line + '\n');
    }
  }

  async run(step) {
    const begin = now();
    const there = this.of(step);
    const take = ({name, from}) => from === 'model' ? this.feeds[name] : there.get(`${from} ${name}`);
    const waiting = [...this.own];
    while (waiting.length > 0) {
      const next = waiting.findIndex(at => this.stage(at).inputs.every(take));
      if (next < 0) {
        await new Promise(done => { this.wake = done; });
        continue;
      }
      const [at] = waiting.splice(next, 1);
      const stage = this.stage(at);
      const inputs = Object.fromEntries(stage.inputs.map(link => [link.name, take(link)]));
      const made = await this.sessions.get(at).run(inputs, stage.outputs);
      for (const name of stage.outputs) {
        there.set(`${at} ${name}`, made[name]);
        this.send(`${at} ${name}`, step, made[name]);
      }
    }
    this.heard.delete(step);
    return {begin, end: now()};
  }
}

async function work([ortFolder, plan, folder, device, feeds]) {
  const ort = createRequire(resolve(ortFolder, 'x.js'))('onnxruntime-node');
  const own = new Device(ort, plan, folder, device);
  process.on('message', async step => process.send(await own.run(step)));
  process.on('disconnect', () => process.exit(0));
  await own.open(JSON.parse(feeds));
  process.send('ready');
}

const core = device => /(\d+)$/.exec(device)?.[1] ?? '0';

async function measure(ort, plan, steps, feeds) {
  const pipeline = JSON.parse(readFileSync(join(plan, 'pipeline.json')));
  const devices = [...new Set(pipeline.stages.map(stage => stage.device))];
  const folder = mkdtempSync('/dev/shm/measure-');
  try {
    const workers = devices.map(device => spawn(
        'taskset', ['-c', core(device), process.execPath, process.argv[1], '--work', ort, plan,
                    folder, device, feeds],
        {stdio: ['ignore', 'inherit', 'inherit', 'ipc']}));
    const ended = new Promise((_, fail) => workers.forEach(worker => worker.once(
        'exit', code => fail(new Error(`a device ended with ${code}`)))));
    const answers = () => Promise.race([
      ended,
      Promise.all(workers.map(worker => new Promise(done => worker.once('message', done)))),
    ]);
    await answers();
    const seconds = [];
    for (let step = 0; step < WARM_STEPS + steps; ++step) {
      const done = answers();
      for (const worker of workers) worker.send(step);
      const times = await done;
      if (step < WARM_STEPS) continue;
      seconds.push(Math.max(...times.map(t => t.end)) - Math.min(...times.map(t => t.begin)));
    }
    for (const worker of workers) worker.removeAllListeners('exit');
    for (const worker of workers) worker.disconnect();
    seconds.sort((a, b) => a - b);
    console.log(JSON.stringify({seconds: seconds[seconds.length >> 1]}));
  } finally {
    rmSync(folder, {recursive: true});
  }
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--work') {
  await work(rest);
} else {
  const [plan, steps, feeds] = rest;
  await measure(first, plan, Number(steps), feeds);
}

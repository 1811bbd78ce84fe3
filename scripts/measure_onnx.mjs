// `measure_onnx.mjs ORT PLAN STEPS FEEDS TOGETHER`: runs the stages in the folder PLAN, as
// `placer export --to onnx` writes them, by the onnxruntime-node in the folder ORT. A device whose
// name ends in :K is core K: a process that is pinned to it and runs one stage at a time by one
// thread, the first whose inputs are there. Tensors go from process to process through files in
// shared memory, of which small messages tell. Prints {"seconds": ...}: of one step at a time the
// median, from when the first process hears of it to when the last one has made what it makes; of
// several steps TOGETHER in the pipeline the time between the ends of two, in the mean.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createConnection, createServer} from 'node:net';
import {join, resolve} from 'node:path';

const WARM_STEPS = 3;
const MOST_TOGETHER = 8;  // steps at work
const TYPES = {float32: Float32Array, int64: BigInt64Array, int32: Int32Array, float16: Uint16Array,
               bool: Uint8Array, uint8: Uint8Array};
const now = () => Number(process.hrtime.bigint()) / 1e9;

/** What the stages of one device do, step by step. */
class Device {
  constructor(ort, plan, folder, device, together) {
    Object.assign(this, {ort, folder, device, slots: 2 * together});
    this.pipeline = JSON.parse(readFileSync(join(plan, 'pipeline.json')));
    this.plan = plan;
    this.own = [...this.pipeline.stages.keys()].filter(at => this.stage(at).device === device);
    this.peers = new Map();
    this.heard = new Map();  // by step: tensors by "stage name"
    this.asleep = [];
    this.files = new Map();  // by path
  }
  wake() {
    const asleep = this.asleep;
    this.asleep = [];
    for (const done of asleep) done();
  }
  stage(at) { return this.pipeline.stages[at]; }
  /** A tensor's file, and memory to read it into; both are used again, whose pages are there then. */
  opened(key, step, mode, bytes) {
    const path = join(this.folder, `${encodeURIComponent(key)}-${step % this.slots}`);
    if (!this.files.has(path)) {
      this.files.set(path, {file: openSync(path, mode), buffer: new ArrayBuffer(bytes)});
    }
    return this.files.get(path);
  }

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
    for (const at of this.own) {
      for (const {name, from} of this.stage(at).inputs) {
        if (from !== 'model' || this.feeds[name]) continue;
        throw new Error(`FEEDS: expected the model's input '${name}', found ${Object.keys(feeds).join(', ') || 'none'}`);
      }
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
    const {file, buffer} = this.opened(key, step, 'r', bytes);
    readSync(file, new Uint8Array(buffer), 0, bytes, 0);
    this.of(step).set(key, new this.ort.Tensor(type, new TYPES[type](buffer), dims));
    this.wake();
  }
  send(key, step, tensor) {
    const readers = this.readers.get(key);
    if (!readers) return;
    const {buffer, byteOffset, byteLength} = tensor.data;
    const {file} = this.opened(key, step, 'w', 0);
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
        await new Promise(done => this.asleep.push(done));
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
    return {step, begin, end: now()};
  }
}

/** One line of what is wrong, instead of a trace. */
function fail(error) {
  if (error.message) console.error(error.message);
  process.exit(1);
}

async function work([ortFolder, plan, folder, device, feeds, together]) {
  const ort = createRequire(resolve(ortFolder, 'x.js'))('onnxruntime-node');
  const own = new Device(ort, plan, folder, device, Number(together));
  process.on('message', async step => process.send(await own.run(step)));
  process.on('disconnect', () => process.exit(0));
  await own.open(JSON.parse(feeds));
  process.send('ready');
}

/** Of this process, in shared memory; those of killed ones are removed. */
function own_folder() {
  for (const name of readdirSync('/dev/shm')) {
    const pid = /^measure-onnx-(\d+)$/.exec(name)?.[1];
    if (!pid || existsSync(`/proc/${pid}`)) continue;
    rmSync(join('/dev/shm', name), {recursive: true, force: true});
  }
  const folder = `/dev/shm/measure-onnx-${process.pid}`;
  mkdirSync(folder);
  return folder;
}

const core = device => /(\d+)$/.exec(device)?.[1] ?? '0';

async function measure(ort, plan, steps, feeds, together) {
  const pipeline = JSON.parse(readFileSync(join(plan, 'pipeline.json')));
  const devices = [...new Set(pipeline.stages.map(stage => stage.device))];
  const folder = own_folder();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.once(signal, () => {
      rmSync(folder, {recursive: true, force: true});
      process.exit(1);
    });
  }
  try {
    const workers = devices.map(device => spawn(
        'taskset', ['-c', core(device), process.execPath, process.argv[1], '--work', ort, plan,
                    folder, device, feeds, together],
        {stdio: ['ignore', 'inherit', 'inherit', 'ipc']}));
    // With 1 it has said why.
    const ended = new Promise((_, reject) => workers.forEach(worker => worker.once(
        'exit', code => reject(new Error(code === 1 ? '' : `a device ended with ${code}`)))));
    ended.catch(() => {});
    await Promise.race([
      ended, Promise.all(workers.map(worker => new Promise(done => worker.once('message', done)))),
    ]);
    const times = new Map();  // by step, from each device
    let told = () => {};
    for (const worker of workers) {
      worker.on('message', time => {
        if (!times.has(time.step)) times.set(time.step, []);
        times.get(time.step).push(time);
        if (times.get(time.step).length === workers.length) told();
      });
    }
    const end = step => Math.max(...times.get(step).map(time => time.end));
    const isDone = step => times.get(step)?.length === workers.length;
    const all = WARM_STEPS + steps;
    for (let step = 0; step < all; ++step) {
      for (const worker of workers) worker.send(step);
      const first = step + 1 < all ? step + 1 - together : 0;  // that has to be done by now
      const wanted = step + 1 < all ? [first] : [...Array(all).keys()];
      while (!wanted.every(each => each < 0 || isDone(each))) {
        await Promise.race([ended, new Promise(done => { told = done; })]);
      }
    }
    const seconds = [];
    for (let step = WARM_STEPS; step < all; ++step) {
      seconds.push(end(step) - Math.min(...times.get(step).map(time => time.begin)));
    }
    for (const worker of workers) worker.removeAllListeners('exit');
    for (const worker of workers) worker.disconnect();
    seconds.sort((a, b) => a - b);
    const step = together === 1 ? seconds[seconds.length >> 1]
                                : (end(all - 1) - end(WARM_STEPS - 1)) / steps;
    console.log(JSON.stringify({seconds: step}));
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--work') {
  await work(rest).catch(fail);
} else {
  const [plan, steps, feeds, together] = rest;
  await measure(first, plan, Number(steps), feeds, Math.min(Number(together), MOST_TOGETHER))
      .catch(fail);
}

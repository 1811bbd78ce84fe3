"""The one-op test, how long networks take, and a graph of a hundred thousand ops."""

import concurrent.futures
import json
import statistics

from results_runs import EVALUATIONS, FLAGS, LEARNERS, PROBLEMS

GRAPH = """{"format": "placer-graph", "version": 1, "name": "one_op", "edges": [],
 "ops": [{"name": "op", "type": "op", "seconds": {"slow": 2, "fast": 1}}]}
"""
DEVICES = """{"format": "placer-devices", "version": 1,
 "devices": [{"name": "slow:0", "type": "slow", "memory_bytes": 1000000000},
             {"name": "fast:0", "type": "fast", "memory_bytes": 1000000000}],
 "links": [{"from": "*", "to": "*", "bytes_per_second": 1e9, "latency_seconds": 0}]}
"""
WITHOUT_PRESET = ("post", "policy-gradient", "ppo", "cross-entropy")
LARGE = ["nmt", "--layers", "8", "--tokens", "500", "--hidden", "256", "--batch", "2", "--colocate",
         "weight"]
NETWORKS = (("seq2seq", "121", ["--preset", "paper"]),
            ("spotlight", "121", ["--preset", "paper"]), ("seq2seq", "121", []),
            ("seq2seq", "64", []), ("spotlight", "64", []), ("hierarchical", "none", []),
            ("placeto", "64", []), ("gdp", "64", []), ("post", "64", []))
TIMED = 600  # evaluations, half of them samples where groups are merged and then refined
PLACEMENTS = 12  # of an update of the tuned hierarchical learner


def one_op(runs, seeds):
    graph, devices = runs.written("one_op.json", GRAPH), runs.written("two.json", DEVICES)
    wanted = {}
    for algorithm in LEARNERS:
        for preset in ("",) if algorithm in WITHOUT_PRESET else ("paper", "tuned"):
            flags = FLAGS.get(algorithm, [algorithm]) + (["--preset", preset] if preset else [])
            for seed in range(1, seeds + 1):
                wanted[algorithm, preset, seed] = [
                    "--devices", devices, "--evaluations", 500, "--seed", seed, "--algo", *flags]
    done = runs.optimized_all([(f"one op {' '.join(map(str, key))}", graph, arguments)
                               for key, arguments in wanted.items()])
    lines = ["## One op, 1 s on one device and 2 s on the other", "",
             "`recent_mean_seconds` after 500 evaluations: median (largest) of the seeds; below 1.02, "
             "fewer than two of the last hundred samples chose the slow device.", "",
             "| learner | `--preset paper` | `--preset tuned` |", "| --- | --- | --- |"]
    for algorithm in LEARNERS:
        cells = []
        for preset in ("", "") if algorithm in WITHOUT_PRESET else ("paper", "tuned"):
            means = [done[f"one op {algorithm} {preset} {seed}"]["recent_mean_seconds"]
                     for seed in range(1, seeds + 1)]
            cells.append(f"{statistics.median(means):.2f} ({max(means):.2f})")
        lines.append(f"| `{algorithm}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def network_speed(runs):
    """Time per sample, and the simulator's share by `random`, which only simulates."""
    graph = runs.generated(PROBLEMS["Inception-V3"][1])

    def milliseconds(algorithm, groups, flags, key, threads=1, at_once=1):
        def one(seed):
            name = f"speed {threads} {at_once} {algorithm} {groups} {' '.join(flags)} {seed}"
            run = runs.optimized(name, graph, [
                "--devices", "4gpu", "--evaluations", TIMED, "--seed", seed, "--groups",
                groups, "--algo", algorithm, *flags], threads)
            return run["wall_seconds"] / run[key] * 1e3
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return statistics.median(pool.map(one, range(1, 3 * at_once + 1)))

    lines = ["## Time of networks", "",
             "Milliseconds for each sample on Inception-V3, `4gpu`, with one thread and with two, and how many "
             "times as many samples two runs of one thread side by side give as one alone, the most that this "
             "machine's second core can add. The simulator's share is what `random` takes for an evaluation in "
             "as many groups.", "",
             "| learner | groups | one thread, ms | two, ms | as fast | two runs | the simulator's share |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for algorithm, groups, flags in NETWORKS:
        time = milliseconds(algorithm, groups, flags, "samples")
        two = milliseconds(algorithm, groups, flags, "samples", threads=2)
        pair = milliseconds(algorithm, groups, flags, "samples", at_once=2)
        share = milliseconds("random", groups, [], "evaluations") / time
        lines.append(f"| `{' '.join([algorithm, *flags])}` | {groups} | {time:.3f} | {two:.3f} | "
                     f"{time / two:.2f}x | {2 * time / pair:.2f}x | {share * 100:.1f} % |")
    return "\n".join(lines) + "\n"


def large_graph(runs):
    """What the hierarchical learner makes of a graph with a group for nearly every op."""
    graph = runs.generated(LARGE)
    ops = len(json.loads(graph.read_text())["ops"])
    run = runs.optimized("large hierarchical", graph, [
        "--devices", "4gpu", "--evaluations", EVALUATIONS, "--algo", "hierarchical"])
    own = [point for point in run["curve"] if point["evaluations"] <= run["samples"]]
    updates = run["samples"] / PLACEMENTS
    sampled = [best for best in run["history"] if best["evaluations"] <= run["samples"]][-1]
    first = [best for best in run["history"] if best["evaluations"] <= PLACEMENTS][-1]
    return f"""## A large graph

`hierarchical` on `{' '.join(LARGE)}`, {ops} ops in {run['groups']} groups, `4gpu`, {EVALUATIONS} evaluations, one thread. No GPU alone holds it; the CPU alone takes
{run['single_device_seconds']:.3f} s, the lower bound is {run['lower_bound_seconds']:.3f} s. The best after the first {PLACEMENTS} evaluations takes {first['step_seconds']:.3f} s, the best
of its own samples {sampled['step_seconds']:.3f} s, refined {run['step_seconds']:.3f} s. An update ({PLACEMENTS} evaluations) takes {own[-1]['wall_seconds'] / updates:.2f} s, the whole
run {run['wall_seconds']:.0f} s and {run['peak_bytes'] / 1e9:.2f} GB at its peak.
"""

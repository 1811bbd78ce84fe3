"""Converts measured pipeline plans of Sailor (eth-easl/sailor) to placer-pipeline files, simulates
them, and writes the table of docs/pipelines.md between its marks; started by sailor.sh."""

import argparse
import json
import pathlib
import subprocess
import tempfile

from marked_parts import with_part

# Fitted on the plans OPT-350/... alone.
STAGING_BYTES_PER_SECOND = 25e9  # of a message between stages, besides the network
FIXED_BYTES = 4.0e9  # kernels and context on each GPU
ACTIVATION_FACTOR = 1.12  # of the activations that the profile has

# Given: fp32 weights, gradients, Adam's state and copies that the runtime makes, for each byte of weights.
HELD_PER_PARAMETER_BYTE = 6


class Network:
    """Fits of bandwidth between nodes, by GPU types and their number in the node. Some were filled in from
    another pair of types: all of their digits are that pair's. Where a pair of types has a fit of its own at
    another number of GPUs, that is taken instead, unless they are to be taken as published."""

    def __init__(self, inter, as_published):
        self.inter, self.as_published = inter, as_published
        self.pairs_of = {}
        for sender, by_count in inter.items():
            for receivers in by_count.values():
                for receiver, fits in receivers.items():
                    for fit in fits.values():
                        self.pairs_of.setdefault(str(fit), set()).add(frozenset((sender, receiver)))

    def between(self, sender, receiver):
        counts = sender["gpus_in_node"], receiver["gpus_in_node"]
        published = self.inter[sender["gpu"]][str(counts[0])][receiver["gpu"]][str(counts[1])]
        if self.as_published or self.is_own(published):
            return published
        own = []
        for count, receivers in self.inter[sender["gpu"]].items():
            for other, fit in receivers.get(receiver["gpu"], {}).items():
                if self.is_own(fit):
                    own.append((abs(int(count) - counts[0]) + abs(int(other) - counts[1]), fit))
        return min(own)[1] if own else published

    def is_own(self, fit):
        return len(self.pairs_of[str(fit)]) == 1


class Converter:
    def __init__(self, folder, as_published=False):
        def read(name):
            return json.loads((folder / name).read_text())

        self.plans = read("plans.json")
        self.profile, self.layers = read("profile_OPT-350.json"), read("layers_OPT-350.json")
        self.network = Network(read("network.json")["inter"], as_published)

    def unit(self, replica, micro_batch):
        degree = str(replica["tensor_parallel"])
        times = self.profile[replica["gpu"]][str(micro_batch)][degree]
        sizes = self.layers[degree]
        rows = []
        for layer in sorted(sizes, key=int):
            size, (forward, backward, _) = sizes[layer], times[layer]
            rows.append({"forward_seconds": forward, "backward_seconds": backward,
                         "held_bytes": HELD_PER_PARAMETER_BYTE * size["params_bytes"],
                         "gradient_bytes": size["params_bytes"],
                         "activation_bytes": round(ACTIVATION_FACTOR * micro_batch * size["act_mem_bytes"]),
                         "output_bytes": micro_batch * size["act_output_bytes"]})
        # One and the same time for all layers, however large: that of an update of the whole stage.
        update = max(row[2] for row in times.values())
        return {"name": name_of(replica), "gpus": replica["tensor_parallel"],
                "fixed_bytes": round(FIXED_BYTES), "update_seconds": update, "layers": rows}

    def speed(self, sender, receiver):
        curve, most = self.network.between(sender, receiver)
        return {"from": name_of(sender), "to": name_of(receiver), "curve": curve,
                "most_bytes_per_second": most}

    def pairs(self, stages):
        """Which replicas send to which: those of one position, and around each stage's ring."""
        for one, other in zip(stages, stages[1:]):
            for sender, receiver in zip(one["replicas"], other["replicas"]):
                yield sender, receiver
                yield receiver, sender
        for stage in stages:
            ring = stage["replicas"]
            if len(ring) > 1:
                yield from zip(ring, ring[1:] + ring[:1])

    def convert(self, plan):
        stages = plan["stages"]
        replicas = {name_of(replica): replica for stage in stages for replica in stage["replicas"]}
        links = {(name_of(a), name_of(b)): self.speed(a, b) for a, b in self.pairs(stages)}
        return {"format": "placer-pipeline", "version": 1, "name": plan["name"], "schedule": "1f1b",
                "micro_batch": plan["micro_batch"], "global_batch": plan["global_batch"],
                "blocking_sends": True, "staging_bytes_per_second": STAGING_BYTES_PER_SECOND,
                "units": [self.unit(replica, plan["micro_batch"]) for replica in replicas.values()],
                "network": list(links.values()),
                "stages": [{"layers": len(stage["layers"]),
                            "replicas": [name_of(replica) for replica in stage["replicas"]]}
                           for stage in stages]}


def name_of(replica):
    return f"{replica['tensor_parallel']}x{replica['gpu']}"


def predict(program, folder, document):
    plan, graph, placement = (folder / name for name in ("plan.json", "graph.json", "placement.json"))
    plan.write_text(json.dumps(document, indent=1))
    done = subprocess.run([program, "import", plan, "-o", graph, "--placement-out", placement],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    done = subprocess.run([program, "simulate", graph, "--placement", placement, "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def off(found, measured):
    return (found / measured - 1) * 100


def table(converter, program, keep):
    lines = ["| plan | GPUs of each stage | measured | predicted | off | peak measured | predicted | off |",
             "| --- | --- | --: | --: | --: | --: | --: | --: |"]
    misses = {}
    for plan in converter.plans:
        with tempfile.TemporaryDirectory() as folder:
            own = keep / plan["name"].replace("/", "_") if keep else pathlib.Path(folder)
            own.mkdir(parents=True, exist_ok=True)
            found = predict(program, own, converter.convert(plan))
        peak = max(device["peak_bytes"] for device in found["per_device"])
        seconds, measured = found["step_seconds"], plan["measured_iteration_seconds"]
        bytes_measured = plan["measured_peak_bytes"]
        miss = off(seconds, measured), off(peak, bytes_measured)
        misses.setdefault(plan["name"].split("/")[0], []).append(miss)
        units = ", ".join(" + ".join(name_of(replica) for replica in stage["replicas"])
                          for stage in plan["stages"])
        lines.append(f"| {plan['name']} | {units} | {measured:.3f} s | {seconds:.3f} s | {miss[0]:+.1f} % | "
                     f"{bytes_measured / 1e9:.2f} GB | {peak / 1e9:.2f} GB | {miss[1]:+.1f} % |")
    for family, rows in misses.items():
        means = [sum(abs(row[at]) for row in rows) / len(rows) for at in (0, 1)]
        lines.append(f"| mean of {family}/... | | | | {means[0]:.1f} % | | | {means[1]:.1f} % |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="sailor.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--print", action="store_true", help="the table, and write nothing")
    parser.add_argument("--network-as-published", action="store_true",
                        help="also the fits that were filled in from another pair of GPU types")
    parser.add_argument("--keep", type=pathlib.Path, help="where converted plans stay")
    flags = parser.parse_args()
    data = flags.root.parent / "shared/data/sailor"
    if not data.exists():
        raise SystemExit(f"skipped: {data} is not there")
    text = table(Converter(data, flags.network_as_published), flags.program, flags.keep)
    if flags.print:
        print(text)
        return
    page = flags.root / "docs/pipelines.md"
    page.write_text(with_part(page.read_text(), "measured", text + "\n"))


if __name__ == "__main__":
    main()

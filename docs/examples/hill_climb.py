#!/usr/bin/env python3
"""An algorithm for `placer optimize GRAPH --algo "exec:python3 hill_climb.py"`: begins with everything on
one device, then moves one group at a time and keeps what is better. docs/exec.md says what the lines hold.
"""

import json
import random
import sys


def main():
    problem = json.loads(sys.stdin.readline())
    rng = random.Random(problem["seed"])
    groups = problem["groups"]

    def cost(placement):
        """The cost in seconds, or None when the search is over."""
        print(json.dumps({"placement": placement}), flush=True)
        answer = json.loads(sys.stdin.readline())
        return None if "stop" in answer else answer["cost_seconds"]

    devices = range(len(problem["devices"]))
    best, best_cost = None, float("inf")
    for device in devices:
        placement = [device if device in group["devices"] else group["devices"][0] for group in groups]
        found = cost(placement)
        if found is None:
            return
        if found < best_cost:
            best, best_cost = placement, found
    movable = [index for index, group in enumerate(groups) if len(group["devices"]) > 1]
    while movable:
        placement = list(best)
        group = rng.choice(movable)
        placement[group] = rng.choice([d for d in groups[group]["devices"] if d != best[group]])
        found = cost(placement)
        if found is None:
            return
        if found <= best_cost:
            best, best_cost = placement, found
    print(json.dumps({"done": True}), flush=True)


main()

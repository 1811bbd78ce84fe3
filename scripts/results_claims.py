"""The papers' claims beside what the runs show."""

import statistics

from results_runs import PROBLEMS, reached

PAPERS = {
    "ColocRL": "https://proceedings.mlr.press/v70/mirhoseini17a.html",
    "Spotlight": "https://proceedings.mlr.press/v80/gao18a.html",
    "HDP": "https://openreview.net/forum?id=Hkc-TeZ0W",
    "Placeto": "https://arxiv.org/abs/1906.08879",
    "P-GNN": "https://doi.org/10.1007/978-3-030-46150-8_8",
    "GDP": "https://arxiv.org/abs/1910.01578",
    "Post": "https://papers.nips.cc/paper/2018/hash/93fb9d4b16aa750c7475b6d601c35c2c-Abstract.html",
}
# Paper, what it claims, the algorithm, those it is better than, and by what factor at least.
SHORTER = (
    ("ColocRL", "shorter steps than one device and than experts' and partitioners' placements",
     "seq2seq", ("single-device", "heft", "scotch", "metis"), 1),
    ("Spotlight", "steps of 60.9 % of policy gradient's (`seq2seq`)", "spotlight", ("seq2seq",),
     0.609),
    ("HDP", "up to 60.6 % shorter steps than the best baseline, `seq2seq` among them",
     "hierarchical", ("single-device", "scotch", "metis", "seq2seq"), 1),
    ("P-GNN", "24.0 % shorter steps than Placeto's embedding", "placeto pgnn", ("placeto",), 0.76),
    ("P-GNN", "GraphSAGE: 1.2 % shorter ones", "placeto graphsage", ("placeto",), 0.988),
    ("GDP", "9.2 % shorter steps than `hierarchical`", "gdp", ("hierarchical",), 0.908),
    ("Post", "shorter steps than policy gradient", "post", ("policy-gradient",), 1),
    ("Post", "... than proximal policy optimization alone", "post", ("ppo",), 1),
    ("Post", "... than cross-entropy alone", "post", ("cross-entropy",), 1),
)
# The same with how many times fewer samples.
FASTER = (
    ("Placeto", "up to 6.1 times fewer steps than `seq2seq`", "placeto", "seq2seq", 6.1),
    ("GDP", "15 times faster convergence than `hierarchical`", "gdp", "hierarchical", 15),
)


def ratios(measured, algorithm, others):
    """On each problem: the median of the best own samples over the least of the others' medians."""
    return [measured.median(problem, algorithm, "sampled") /
            min(measured.median(problem, other, "sampled") for other in others)
            for problem in PROBLEMS]


def speedups(measured, algorithm, other):
    """On each problem: how many times fewer samples come within 5 % of the worse median."""
    result = []
    for problem in PROBLEMS:
        goal = max(measured.median(problem, name, "sampled") for name in (algorithm, other))
        own, others = (statistics.median(reached(run, goal, own_samples=True)
                                         for run in measured.runs(problem, name))
                       for name in (algorithm, other))
        result.append(others / own)
    return result


def verdict(holds, better):
    """Yes: the claim, everywhere; else on how many problems it holds or the sign at least does."""
    count = len(PROBLEMS)
    if sum(holds) == count:
        return "yes"
    return f"no: on {sum(holds)} of {count}; better on {sum(better)}"


def claims_table(measured):
    lines = [f"| paper | claims | here, on {', '.join(PROBLEMS)} | holds |",
             "| --- | --- | --- | --- |"]
    for paper, claim, algorithm, others, factor in SHORTER:
        found = ratios(measured, algorithm, others)
        shown = ", ".join(f"{(ratio - 1) * 100:+.1f}" for ratio in found) + " %"
        held = verdict([ratio < factor if factor == 1 else ratio <= factor for ratio in found],
                       [ratio < 1 for ratio in found])
        lines.append(f"| [{paper}]({PAPERS[paper]}) | {claim} | {shown} | {held} |")
    for paper, claim, algorithm, other, factor in FASTER:
        found = speedups(measured, algorithm, other)
        shown = ", ".join(f"{times:.2g}" for times in found) + " times"
        held = verdict([times >= factor for times in found], [times > 1 for times in found])
        lines.append(f"| [{paper}]({PAPERS[paper]}) | {claim} | {shown} | {held} |")
    return "\n".join(lines) + "\n"

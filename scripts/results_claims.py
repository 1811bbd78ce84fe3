"""The papers' claims beside what the runs show."""

import statistics

from results_runs import EVALUATIONS

PAPERS = {
    "ColocRL": "https://proceedings.mlr.press/v70/mirhoseini17a.html",
    "Spotlight": "https://proceedings.mlr.press/v80/gao18a.html",
    "HDP": "https://openreview.net/forum?id=Hkc-TeZ0W",
    "Placeto": "https://arxiv.org/abs/1906.08879",
    "P-GNN": "https://doi.org/10.1145/3429882.3430104",
    "GDP": "https://arxiv.org/abs/1910.01578",
    "Post": "https://papers.nips.cc/paper/2018/hash/93fb9d4b16aa750c7475b6d601c35c2c-Abstract.html",
}
# Paper, what it claims, the algorithm, those it is better than, and to what share at most.
SHORTER = (
    ("ColocRL", "shorter steps than one device and partitioners (Scotch, METIS)", "seq2seq",
     ("single-device", "scotch", "metis"), 1),
    ("Spotlight", "steps of 60.9 % of the policy gradient method's (`seq2seq`)", "spotlight",
     ("seq2seq",), 0.609),
    ("HDP", "up to 60.6 % shorter than the best of these and `seq2seq`", "hierarchical",
     ("single-device", "scotch", "metis", "seq2seq"), 1),
    ("P-GNN", "24.0 % shorter than with Placeto's embedding", "placeto pgnn", ("placeto",), 0.76),
    ("P-GNN", "GraphSAGE: 1.2 % shorter than with Placeto's", "placeto graphsage", ("placeto",),
     0.988),
    ("GDP", "9.2 % shorter than HDP's (`hierarchical`)", "gdp", ("hierarchical",), 0.908),
    ("Post", "shorter than policy gradient, `ppo` and `cross-entropy` alone", "post",
     ("policy-gradient", "ppo", "cross-entropy"), 1),
)
ROUNDED = 1e-5  # of a written step time
# The same with how many times fewer samples.
FASTER = (
    ("Placeto", "up to 6.1 times fewer samples than the RNN (`seq2seq`)", "placeto", "seq2seq", 6.1),
    ("GDP", "converges 15 times as fast as HDP (`hierarchical`)", "gdp", "hierarchical", 15),
)


def ratios(measured, algorithm, others, key):
    """On each problem: the algorithm's median step time over the least of the others' medians; None
    where one of them has not been measured."""
    return [measured.median(problem, algorithm, key) /
            min(measured.median(problem, other, key) for other in others)
            if measured.has(problem, algorithm, *others) else None
            for problem in measured.problems]


def reached(run, goal):
    """The evaluation of the first sample of at most `goal` seconds; none: the budget."""
    return next((at for at, seconds in run["bests"] if seconds <= goal), EVALUATIONS)


def speedups(measured, algorithm, other):
    """On each problem: how many times fewer samples come within 5 % of the worse median and 1 % below
    one device, where some begin; None where no run of both tells its bests."""
    result = []
    for problem in measured.problems:
        if not measured.has(problem, algorithm, other):
            result.append(None)
            continue
        single = measured.runs(problem, "single-device")[0]["single"]
        goal = min(1.05 * max(measured.median(problem, name, "sampled") for name in (algorithm, other)),
                   0.99 * single)
        own, others = ([reached(run, goal) for run in measured.runs(problem, name) if run["bests"]]
                       for name in (algorithm, other))
        result.append(statistics.median(others) / statistics.median(own) if own and others else None)
    return result


def verdict(holds):
    if not holds:
        return "?"
    return "yes" if all(holds) else f"no ({sum(holds)} of {len(holds)})"


def learns(measured, algorithm):
    """On each problem: whether the algorithm's runs, where it has any, do not end on one device."""
    return [measured.has(problem, algorithm) and not measured.collapsed(problem, algorithm)
            for problem in measured.problems]


def percents(found):
    return ", ".join(f"{(ratio - 1) * 100:+.1f}" if ratio else "?" for ratio in found)


def algorithms_claimed():
    """All that the claims speak of, each once."""
    named = [name for _, _, algorithm, others, _ in SHORTER for name in (algorithm, *others)]
    named += [name for _, _, *pair, _ in FASTER for name in pair]
    return tuple(dict.fromkeys(named))


def shorter_cells(measured, algorithm, others, share, key="sampled"):
    """How much shorter its steps are on each problem, and whether that holds the claim."""
    found = ratios(measured, algorithm, others, key)
    held = verdict([learnt and (ratio < 1 - ROUNDED if share == 1 else ratio <= share)
                    for ratio, learnt in zip(found, learns(measured, algorithm)) if ratio])
    return f"{percents(found)} %", held


def faster_cells(measured, algorithm, other, factor):
    found = speedups(measured, algorithm, other)
    held = verdict([learnt and times >= factor
                    for times, learnt in zip(found, learns(measured, algorithm)) if times])
    return ", ".join(f"{times:.2g}" if times else "?" for times in found) + " times", held


def judged(measured):
    """Of each claim: its paper, the claim, what the runs show, and whether that holds it."""
    return ([(paper, claim, *shorter_cells(measured, *what)) for paper, claim, *what in SHORTER] +
            [(paper, claim, *faster_cells(measured, *what)) for paper, claim, *what in FASTER])


def published_claims(published):
    """The claims and what becomes of them as published."""
    lines = [f"| paper | claims | as published ({', '.join(published.problems)}) | holds |",
             "| --- " * 4 + "|"]
    lines += [f"| [{paper}] | {claim} | {shown} | {holds} |"
              for paper, claim, shown, holds in judged(published)]
    return "\n".join(lines) + "\n"


def claims_table(measured, published):
    """The claims as published, by default, and after refinement."""
    lines = [f"| paper | claims | as published ({', '.join(published.problems)}) | holds | "
             f"by default ({', '.join(measured.problems)}) | holds | refined |",
             "| --- " * 7 + "|"]
    refined = [shorter_cells(measured, *what, key="step")[0] for _, _, *what in SHORTER]
    refined += [""] * len(FASTER)
    for (paper, *cells), (_, _, *by_default), steps in zip(judged(published), judged(measured),
                                                           refined):
        lines.append(" | ".join([f"| [{paper}]", *cells, *by_default, steps]) + " |")
    return "\n".join(lines) + "\n\n" + "".join(f"[{paper}]: {link}\n"
                                              for paper, link in PAPERS.items())

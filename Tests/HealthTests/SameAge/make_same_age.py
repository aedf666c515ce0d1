#!/usr/bin/env python3
"""Writes same-age.txt beside this file: p-values of stratified comparisons, computed by SciPy 1.17.

Each line has numbers: the tolerated ratio; the design effects of base and head; the p-value of the score test, from the
moments of scipy.stats.binom; the exact mid-p-value, from the convolution of the strata's binomial distributions, or nan
with a design effect; then eight numbers for each row of sessions: 0 of the base or 1 of the head, device class, day, age
(0 the first session, then later ones), sessions, crashed sessions, the part whose crashes have been reported, and how
many times as much the head's users use the app.
"""
import os

import numpy as np
from scipy import stats

AGES = 6


def strata(rows):
    """(head events, head use, base events, base use) by device class and age of the head's rows."""
    def total(chosen):
        events = sum(row[5] for row in chosen)
        return events, max(events, sum(row[4] * row[6] * row[7] for row in chosen))

    for kind, age in sorted({(row[1], row[3]) for row in rows if row[0] == 1}):
        head = [row for row in rows if row[0] == 1 and row[1] == kind and row[3] == age]
        base = [row for row in rows if row[0] == 0 and row[1] == kind and row[3] == age]
        if age > 0 and 10 * sum(row[4] for row in base) < sum(row[4] for row in head):
            base = [row for row in rows if row[0] == 0 and row[1] == kind and row[3] > age]
        (x, m), (y, n) = total(head), total(base)
        if m > 0 and n > 0:
            yield x, m, y, n


def p_values(rows, ratio, effects):
    difference = variance = 0.0
    distribution, observed = np.ones(1), 0
    for x, m, y, n in strata(rows):
        head_use, base_use = ratio * m / effects[1], n / effects[0]
        chance = head_use / (head_use + base_use)
        events = x / effects[1] + y / effects[0]
        # Moments are linear in the number of events, so one event stands for any number of them.
        difference += x / effects[1] - events * stats.binom.mean(1, chance)
        variance += events * stats.binom.var(1, chance)
        distribution = np.convolve(distribution, stats.binom.pmf(np.arange(x + y + 1), x + y, chance))
        observed += x
    score = stats.norm.sf(difference / np.sqrt(variance)) if variance > 0 else 1
    if effects != (1, 1):
        return score, float("nan")
    return score, distribution[observed + 1:].sum() + distribution[observed] / 2 if variance > 0 else 1


def fleet(random, kinds, worse, sizes, ages=range(AGES), reported=1.0, uses=(1,)):
    rows = []
    for kind in range(kinds):
        level = random.uniform(0.004, 0.02)
        for age in range(AGES):
            for side in (0, 1):
                if side == 0 and age not in ages:
                    continue
                for day in range(2):
                    sessions = int(random.poisson(sizes[side]))
                    part = reported if side == 1 and day == 1 else 1.0
                    chance = level * (4 if age == 0 else 1) * (worse if side else 1) * part
                    use = uses[day % len(uses)] if side else 1
                    rows.append((side, kind, day, age, sessions, int(random.binomial(sessions, chance)), part, use))
    return rows


if __name__ == "__main__":
    random = np.random.default_rng(32)
    cases = []
    for worse in (0.8, 1, 1.1, 1.5, 2.5):
        cases.append((1.1, (1, 1), fleet(random, 3, worse, (900, 400))))
        cases.append((1.0, (1.7, 2.4), fleet(random, 2, worse, (2_000, 300))))
    # The base's first days are unknown, or its first sessions.
    cases.append((1.1, (1, 1), fleet(random, 2, 1.6, (3_000, 500), ages=(5,))))
    cases.append((1.1, (1, 1), fleet(random, 2, 1.6, (3_000, 500), ages=(0, 3, 5))))
    # Crashes of the last day are still missing, and the head's users use the app more.
    cases.append((1.1, (1, 1), fleet(random, 2, 1.8, (900, 700), reported=0.6)))
    cases.append((1.1, (1, 1.3), fleet(random, 2, 1.8, (900, 700), uses=(1.5, 1.2))))
    # No events, or no base.
    cases.append((1.1, (1, 1), [(0, 0, 0, 1, 500, 0, 1, 1), (1, 0, 0, 1, 500, 0, 1, 1)]))
    cases.append((1.1, (1, 1), [(0, 0, 0, 1, 500, 4, 1, 1), (1, 1, 0, 1, 500, 40, 1, 1)]))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "same-age.txt"), "w") as file:
        for ratio, effects, rows in cases:
            numbers = [ratio, *effects, *p_values(rows, ratio, effects), *(x for row in rows for x in row)]
            file.write(" ".join(repr(float(x)).removesuffix(".0") for x in numbers) + "\n")

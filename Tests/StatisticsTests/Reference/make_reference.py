#!/usr/bin/env python3
"""Writes scipy.txt beside this file: values computed by SciPy 1.17 and by exact binomial sums."""
import itertools
import os
from fractions import Fraction
from math import comb

import numpy as np
from scipy import special, stats


def table(name, call, rows):
    return f"# {name}: {call}\n" + "\n".join(" ".join(repr(float(x)) for x in row) for row in rows) + "\n"


def beta():
    shapes = [0.05, 0.5, 1, 2.5, 12, 150.3, 9_000, 1e6]
    for a, b in itertools.product(shapes, shapes):
        centre = a / (a + b)
        for x in {1e-6, 0.03, 0.4, 0.97, centre, min(0.999999, centre * 1.01), centre * 0.98}:
            yield x, a, b, special.betainc(a, b, x)


def beta_quantile():
    shapes = [0.3, 1, 4.5, 60, 5_000, 2e6]
    for a, b, p in itertools.product(shapes, shapes, [0.001, 0.025, 0.05, 0.5, 0.95, 0.999]):
        yield p, a, b, special.betaincinv(a, b, p)


def f_tail():
    for d1, d2, f in itertools.product([1, 9, 200, 40_000], [1, 15, 3_000, 5e5], [0.2, 0.98, 1.02, 1.3, 4, 30]):
        yield f, d1, d2, stats.f.sf(f, d1, d2)


def t_quantile():
    for df, p in itertools.product([1, 2, 3.7, 9, 30, 500, 1e5, 1e8], [0.001, 0.025, 0.3, 0.5, 0.9, 0.95, 0.975, 0.999]):
        yield p, df, stats.t.ppf(p, df)


def log_gamma():
    for x in [1e-9, 0.01, 0.5, 0.9, 1, 1.5, 2, 3.25, 8, 15.99, 16, 33.3, 1e3, 1e6, 1e12]:
        yield x, special.gammaln(x)


def clopper_pearson():
    for k, n in [(0, 1), (1, 1), (0, 40), (1, 40), (40, 40), (5, 1000), (10, 1000), (20, 20000), (997, 1000), (123456, 1000000)]:
        for tail in (0.001, 0.025, 0.05):
            bounds = stats.binomtest(k, n).proportion_ci(1 - 2 * tail, method="exact")
            yield k, n, tail, bounds.low, bounds.high


def korn_graubard():
    """Effective samples are no whole numbers: the Beta form on k/deff of n/deff."""
    samples = [(0, 40), (3, 40), (5, 1000), (60, 1000), (1000, 1000), (31, 20000), (4500, 5000), (2e4, 4e6)]
    for (k, n), deff, tail in itertools.product(samples, (1.07, 1.9, 7.3, 33.3), (0.001, 0.025, 0.05)):
        good, bad = k / deff, (n - k) / deff
        low = stats.beta.ppf(tail, good, bad + 1) if good > 0 else 0
        high = stats.beta.ppf(1 - tail, good + 1, bad) if bad > 0 else 1
        yield k, n, deff, tail, low, high


def large_ranks():
    """As ranks(), by the binomial distribution of SciPy."""
    for n, p, tail in itertools.product((5_000, 100_000, 3_000_000), (0.1, 0.5, 0.9, 0.95, 0.99), (0.05, 0.025, 0.001)):
        lower, upper = int(stats.binom.ppf(tail, n, p)), int(stats.binom.isf(tail, n, p)) + 1
        lower = max(j for j in range(lower - 2, lower + 3) if stats.binom.cdf(j - 1, n, p) <= tail)
        upper = min(j for j in range(upper - 2, upper + 3) if stats.binom.sf(j - 1, n, p) <= tail)
        yield n, p, tail, lower, upper


def effective_ranks():
    """Ranks on an effective sample: smallest j with I_p(j/deff, (n - j)/deff + 1) <= tail, and its mirror image; 0: none."""
    def upper(n, p, deff, tail):
        j = np.arange(1, n + 1)
        holds = np.flatnonzero(special.betainc(j / deff, (n - j) / deff + 1, p) <= tail)
        return int(j[holds[0]]) if holds.size else 0

    for n, p, deff, tail in itertools.product((30, 313, 5_000), (0.1, 0.5, 0.9, 0.95), (1.13, 2.6, 19.7), (0.05, 0.001)):
        mirrored = upper(n, 1 - p, deff, tail)
        yield n, p, deff, tail, n - mirrored + 1 if mirrored else 0, upper(n, p, deff, tail)


def one_way():
    """Payloads of whole numbers by seed, and the F and its p of an analysis of variance."""
    for seed, step in ((1, 0), (2, 3), (3, 11), (4, 40)):
        generator = np.random.default_rng(seed)
        groups = [generator.integers(1, 30, generator.integers(1, 7)) + step * i for i in range(12)]
        groups = [np.minimum(group, 128) for group in groups]
        f, p = stats.f_oneway(*groups)
        yield (f, p, *(x for group in groups for x in (len(group), *group)))


def ranks():
    """Exact: lower = largest j with P(Bin(n,p) < j) <= tail, upper = smallest j with P(Bin(n,p) >= j) <= tail; 0: none."""
    for n in (1, 2, 10, 28, 29, 58, 59, 100, 298, 299, 300, 1000):
        for percent, tail in itertools.product((10, 50, 90, 95, 99), ((1, 20), (1, 40), (1, 1000))):
            limit = Fraction(*tail) * 100**n
            weights = [comb(n, k) * percent**k * (100 - percent) ** (n - k) for k in range(n + 1)]
            below = list(itertools.accumulate(weights, initial=0))
            lower = max((j for j in range(1, n + 1) if below[j] <= limit), default=0)
            upper = min((j for j in range(1, n + 1) if 100**n - below[j] <= limit), default=0)
            yield n, percent / 100, tail[0] / tail[1], lower, upper


def log2_edges():
    """Values and their OpenTelemetry scale-6 index, by 60-digit arithmetic."""
    from decimal import Decimal, getcontext, ROUND_CEILING

    getcontext().prec = 60
    ln2 = Decimal(2).ln()
    generator = np.random.default_rng(6)
    values = [1.0, 2.0, 0.5, 5.0, 16.67, 2000.0, 3e8, 1e-300, 1.7e308, 2.0**-1022]
    values += list(np.exp(generator.uniform(-20, 25, 200)))
    for j in range(1, 64):
        edge = float((ln2 * j / 64).exp())
        values += [np.nextafter(edge, 0), edge, np.nextafter(edge, 9)]
    values += [2.0**e for e in range(-60, 61, 7)] + [float(np.nextafter(2.0**e, np.inf)) for e in range(-60, 61, 7)]
    for v in values:
        yield v, int((Decimal(float(v)).ln() / ln2 * 64 - Decimal("1e-45")).to_integral_value(ROUND_CEILING)) - 1


if __name__ == "__main__":
    parts = [
        table("beta", "x, a, b, scipy.special.betainc(a, b, x)", beta()),
        table("betaQuantile", "p, a, b, scipy.special.betaincinv(a, b, p)", beta_quantile()),
        table("fTail", "f, d1, d2, scipy.stats.f.sf(f, d1, d2)", f_tail()),
        table("tQuantile", "p, df, scipy.stats.t.ppf(p, df)", t_quantile()),
        table("logGamma", "x, scipy.special.gammaln(x)", log_gamma()),
        table("clopperPearson", "k, n, tail, low and high of scipy.stats.binomtest(k, n).proportion_ci(1 - 2·tail, 'exact')", clopper_pearson()),
        table("kornGraubard", "k, n, deff, tail, low and high by scipy.stats.beta.ppf", korn_graubard()),
        table("largeRanks", "n, p, tail, lower and upper rank by scipy.stats.binom", large_ranks()),
        table("effectiveRanks", "n, p, deff, tail, lower and upper rank (0: none) by scipy.special.betainc", effective_ranks()),
        table("oneWay", "F and p of scipy.stats.f_oneway, then each payload's size and values", one_way()),
        table("ranks", "n, p, tail, lower and upper rank (0: none) by exact binomial sums in integers", ranks()),
        table("indices", "value, its OpenTelemetry scale-6 index by 60-digit logarithms", log2_edges()),
    ]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scipy.txt"), "w") as file:
        file.write("\n".join(parts))

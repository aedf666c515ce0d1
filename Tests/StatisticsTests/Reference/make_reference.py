#!/usr/bin/env python3
"""Writes ScipyReference.swift beside this file: values computed by SciPy 1.17 and by exact binomial sums."""
import itertools
import os
from fractions import Fraction
from math import comb

import numpy as np
from scipy import special, stats


def table(name, call, rows):
    text = "\n".join("    " + " ".join(repr(float(x)) for x in row) for row in rows)
    return f'  /// {call}\n  static let {name} = rows(\n    """\n{text}\n    """)\n'


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
        table("ranks", "n, p, tail, lower and upper rank (0: none) by exact binomial sums in integers", ranks()),
        table("indices", "value, its OpenTelemetry scale-6 index by 60-digit logarithms", log2_edges()),
    ]
    head = "// Written by make_reference.py. Do not edit.\n\n/// What other implementations say.\nenum ScipyReference {\n"
    foot = "\n  private static func rows(_ text: String) -> [[Double]] {\n    text.split(separator: \"\\n\").map { $0.split(separator: \" \").compactMap { Double($0) } }\n  }\n}\n"
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ScipyReference.swift"), "w") as file:
        file.write(head + "\n".join(parts) + foot)

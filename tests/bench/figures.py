# SPDX-License-Identifier: Apache-2.0
"""The sums of the benchmark: ratios round by round, and what a goal says of them."""
import statistics

NOISY = 1.25  # the slowest run of a yardstick is this much slower than its quickest: the machine did something else


def ratios(ours, theirs):
    """(median, least, most) of ours/theirs, each round by itself: what loads the machine loads neighbours in time alike."""
    rounds = [a / b for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(rounds), min(rounds), max(rounds)


def noise(times):
    return max(times) / min(times)


def reaches(value, goal):
    """Goals are upper bounds; a figure is held to what is printed of it."""
    return round(value, 2) <= goal


def wheel_goal(nanoseconds):
    """At -j2, from how long each ELF member takes to inflate: one member is read by one worker, so that no scan can be quicker
    than the larger of one half and the largest member's share; 0.1 is what the rest may cost."""
    return round(0.1 + max(0.5, max(nanoseconds) / sum(nanoseconds)), 2)


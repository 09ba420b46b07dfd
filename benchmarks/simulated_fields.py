"""Simulated fields: whether what the statistics promise holds where the truth is known.

    python -m benchmarks.simulated_fields official      # 95 % intervals of the official table, and its speed
    python -m benchmarks.simulated_fields circles       # circles of strength that are told where there are none
    python -m benchmarks.simulated_fields compare       # error rates and steps of `arena compare`; some five minutes
    python -m benchmarks.simulated_fields stopping      # "known at 95%", and the accuracy at a budget; an hour
    python -m benchmarks.simulated_fields fairplay      # alarms in honest fields, and collusion that is found
    python -m benchmarks.simulated_fields overall       # intervals and order over several games; some 20 minutes
    python -m benchmarks.simulated_fields official --simulations 50 --no-speed --only "3 seats"

`--only` chooses the kinds of fields whose names begin so. The seed of a simulation is its number, so that the figures
repeat exactly. Each command ends with 1 if a promise is not kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from multiprocessing import Pool
from statistics import median
from typing import Protocol, TypeVar

from arena.tournament.formats.adaptive import DEFAULT_BLOCKS
from ratings.statistics.circles import ALARM, find_circles, meetings
from ratings.statistics.fairplay_pairs import FairPlayReport, fair_play
from ratings.statistics.official_table import official_table
from ratings.statistics.results import count
from ratings.statistics.scores import expected_score
from tests.support.simulations import circles, compare, fairplay, official, overall, stopping

BIG_GAIN = expected_score(190) - 0.5
_LEAST_COVERED = 35
_OF_SHORT_ONES = 20
_MOST_ALARMS = 0.01
_MOST_ALARMS_OF_STYLES = 0.1
_LEAST_FOUND = 0.8
_FIELDS_AT_ONCE = 25
_MOST_REFUSED = 0.02
_LEAST_STILL = 0.95


class Named(Protocol):
    """Whatever has a name."""

    @property
    def name(self) -> str:
        """Return the name."""


N = TypeVar("N", bound=Named)


def choose(kinds: Iterable[N], start: str) -> list[N]:
    """Return the kinds whose names begin so. Raises SystemExit, which names those there are, if none does."""
    every = list(kinds)
    if found := [kind for kind in every if kind.name.startswith(start)]:
        return found
    raise SystemExit(f"no kind begins with {start!r}; there are: {'; '.join(kind.name for kind in every)}")


def check_official(options: argparse.Namespace) -> bool:
    """Print how many of the 95 % intervals of official tables hold the truth; return whether enough kinds keep it.

    In 35 kinds of fields or more, 92 to 98 % of the intervals shall, and of the bots that are named 92 % or more.
    Beside them stand the tenth of the chances that is furthest from the truth, and by how many Elo the first of a table
    is overrated; a figure that misses its goal (4 points, 20 Elo) is marked.
    """
    head = f"95 % intervals, {options.simulations} simulations each (seeds from 0)"
    print(f"{head:<58}strength    rank    seat   said / true   first   named")
    kinds = choose(official.KINDS, options.only)
    covered = 0
    for kind in kinds:
        seen = official.coverage(kind, options.simulations)
        covered += seen.is_covered
        said, true = seen.worst_chance
        print(
            f"{kind.name:<58}{seen.strengths.value:7.1%}{' ' if seen.is_covered else '!'}{seen.ranks.value:7.1%} "
            f"{seen.seats.value:7.1%} {said:6.2f} / {true:4.2f}{' ' if abs(said - true) <= official.MOST_OFF else '!'}"
            f"{seen.leads_by:+8.0f}{' ' if seen.leads_by < official.MOST_LEAD else '!'} "
            + ", ".join(f"{name} {share.value:.0%}" for name, share in seen.named.items()),
            flush=True,
        )
    print(f"{covered} of {len(kinds)} kinds are covered; ! marks what misses its goal")
    if not (options.no_speed or options.only):
        for matches, seats, bots in (
            (10_000, 2, 50),
            (10_000, 4, 50),
            (1_000_000, 2, 50),
            (1_000_000, 4, 50),
            (30_000, 2, 300),
            (60_000, 2, 1000),
        ):
            results = official.big_results(matches, seats, bots)
            start, processor = time.perf_counter(), time.process_time()
            official_table(results)
            wall, processor = time.perf_counter() - start, time.process_time() - processor
            print(f"{matches:>9,} matches, {seats} seats, {bots:>5,} bots: {wall:7.2f} s (processor {processor:.2f} s)")
    return covered >= min(_LEAST_COVERED, len(kinds))


def check_circles(options: argparse.Namespace) -> bool:
    """Print how often official tables tell a circle; return whether at most 5 % of those without one do.

    Where three bots go round, or all in three styles, "wrong" counts the tables that tell a circle that is not there.
    """
    is_kept = True
    print(f"no circle, {options.simulations} tables each (seeds from 0): told")
    for kind in choose(circles.HONEST, options.only):
        found = circles.seen(kind, options.simulations)
        is_kept &= found.told <= ALARM * found.tables
        print(f"  {kind.name:<56}{found.told / found.tables:7.1%}", flush=True)
    if options.only:
        return is_kept
    for elo in circles.RINGS:
        print(f"a circle of {elo:.0f} Elo a step: told, and wrong")
        for kind in circles.with_circles(elo):
            found = circles.seen(kind, options.simulations)
            print(f"  {kind.name:<56}{found.right / found.tables:7.1%}{found.wrong / found.tables:7.1%}", flush=True)
    if not options.no_speed:
        for matches, seats, bots in ((10_000, 2, 50), (1_000_000, 2, 50), (1_000_000, 4, 50), (100_000, 2, 500)):
            results = official.big_results(matches, seats, bots)
            start = time.process_time()
            official_table(results)
            whole = time.process_time() - start
            counts = count(results)
            start = time.process_time()
            find_circles(meetings(counts), counts.versions)
            part = time.process_time() - start
            start = time.process_time()
            official_table(results, with_mixture=True)
            asked = time.process_time() - start
            print(
                f"{matches:>9,} matches, {seats} seats, {bots} bots: table {whole:.2f} s of processor, "
                f"circles {part / whole:.1%} of it; with the mixture {asked / whole:.2f} times",
                flush=True,
            )
    return is_kept


def check_compare(options: argparse.Namespace) -> bool:
    """Print how often the sequential test of `arena compare` is wrong or undecided; return whether at most 5 % are.

    Each kind is tried at the lower gain that is asked about, half-way or a third, at the upper one, and as far again;
    then at 190 Elo and where NEW wins every match, twenty times as often, since these tests are short. A rate is within
    Monte-Carlo error if it is below 5 % + 2.6 standard errors. Beside the steps stand those of fishtest's pentanomial
    test, asked the same, and how many times as many ours takes.

    The last kinds are tables at which copies of NEW help each other. Alone with OLD that is a gain, which the test
    finds; with a field no two copies meet, and it may be called better in at most 5 %.
    """
    is_kept = True
    most = compare.allowed(0.05, options.tests)
    print(f"{options.tests} tests each; promised: wrong, and undecided, at most 5 % (here {most:.1%})")
    print(f"{'':28}{'gain':>8}{'better':>9}{'not':>9}{'undecided':>11}{'steps':>9}{'pentanomial':>13}{'times':>8}")
    wanted: list[Named] = choose([*compare.KINDS, *compare.COPIES], options.only)
    for kind in (kind for kind in compare.KINDS if kind in wanted):
        big = [BIG_GAIN] if kind.upper + kind.gain < BIG_GAIN else []
        between = kind.lower + kind.between * kind.gain
        for gain in (kind.lower, between, kind.upper, kind.upper + kind.gain, *big, 0.499):
            tests, peers = (  # none where none are wanted
                (_OF_SHORT_ONES * number if gain >= BIG_GAIN else kind.part_of(number)) if number else 0
                for number in (options.tests, options.peer)
            )
            found = compare.rates(kind, gain, tests, options.seed)
            wrong = found.better if gain <= kind.lower else found.not_better if gain >= kind.upper else 0.0
            is_kept &= max(wrong, found.undecided) <= compare.allowed(0.05, tests)
            line = f"{kind.name:28}{gain:8.3f}{found.better:9.1%}{found.not_better:9.1%}{found.undecided:11.1%}"
            if peers:
                peer = compare.pentanomial_steps(kind, gain, peers, options.seed)
                print(f"{line}{found.steps:9.1f}{peer:13.1f}{found.steps / peer:8.2f}", flush=True)
            else:
                print(f"{line}{found.steps:9.1f}", flush=True)
    for copies in (kind for kind in compare.COPIES if kind in wanted):
        tests = max(options.tests // 5, 1)
        found = compare.rates_of_copies(copies, tests)
        is_kept &= found.better <= compare.allowed(0.05, tests) or not copies.guests
        line = f"{copies.name:28}{'':8}{found.better:9.1%}{found.not_better:9.1%}{found.undecided:11.1%}"
        print(f"{line}{found.steps:9.1f}", flush=True)
    return is_kept


def check_stopping(options: argparse.Namespace) -> bool:
    """Print how often "known at 95% within 10 Elo" is reached and wrong; return whether at most 5 % of those known are.

    An answer is wrong where somebody named is weaker by more than the zone than somebody who is not named. Without a
    zone at most 5 % of all may be wrong: which of two almost equal bots is the better one, the few that are called
    known by luck are as likely to get wrong as right. Beside it stands the median of the matches of those known.

    Then it says how often results were told to drift over time, at any look and at the last. Of fields whose bots do
    not learn, at most 2 % shall end so. Of fields in which they do, no share of wrong answers is promised.

    Then the best three of 16 are sought at a budget, without a stop rule: by a full round robin, and adaptively with
    60 % of its matches. The accuracy, which shall be no worse, is the share of fields whose true top 3 is the table's.
    """
    is_kept = True
    print(f"at most {options.blocks} blocks, {options.fields} fields of each kind")
    seeds = range(options.fields)
    parts = [seeds[start : start + _FIELDS_AT_ONCE] for start in range(0, options.fields, _FIELDS_AT_ONCE)]
    for kind in choose(stopping.KINDS, options.only):
        with Pool() as pool:
            found = pool.map(partial(stopping.until_known, kind, options.blocks), parts, chunksize=1)
        known = [answer for part in found for answer in part if answer.is_known]
        wrong = sum(not answer.is_right for answer in known)
        matches = f"{median(answer.matches for answer in known):.0f}" if known else "-"
        # One wrong answer of few is chance: it says something only where it would be rare at that rate.
        most = max(1.0, (1 - kind.confidence) * (len(known) if kind.within else options.fields))
        is_kept &= wrong <= most or kind.learns > 0
        answers = [answer for part in found for answer in part]
        drift, refused = sum(answer.drift > 0 for answer in answers), sum(answer.ends_drifting for answer in answers)
        told = f"drift told in {drift:>3}, at the end in {refused:>3}"
        print(
            f"  {kind.name:<40} known {len(known):>4}, wrong {wrong:>3}; median of matches {matches:>5}; {told}",
            flush=True,
        )
        is_kept &= kind.learns > 0 or refused <= max(1, _MOST_REFUSED * len(answers))
    if not options.no_accuracy:
        matches_of_all = options.rounds * stopping.BOTS * (stopping.BOTS - 1)
        full = sum(stopping.round_robin(stopping.field_of(seed), options.rounds, seed) for seed in seeds)
        print(f"round robin, {matches_of_all} matches: top 3 right in {full} of {options.fields} fields", flush=True)
        budget = matches_of_all * 6 // 10
        right = sum(stopping.adaptive(stopping.field_of(seed), budget, seed) for seed in seeds)
        print(f"adaptive, at most {budget} matches: top 3 right in {right} of {options.fields} fields")
        is_kept &= right >= full
    return is_kept


def check_fairplay(options: argparse.Namespace) -> bool:
    """Print how often honest fields raise an alarm, and how often collusion is found; return whether it is as promised.

    Twelve bots of drawn strength, six in one kind; in the dishonest fields two or four of them collude. Beside each
    figure stand the goal, what chance alone as the null would give, without regard to styles, from the same matches,
    and the smallest gain that the report says it finds in four of five cases. A deal of a size has a goal where it is
    at least that large. In the last kinds it is just so large, in every field. Seeds begin at 1,000, beyond all fields
    on which the constants of `ratings.statistics.fairplay_null` were chosen.
    """
    wanted = choose([*fairplay.HONEST, *fairplay.STYLES, *fairplay.DISHONEST, *fairplay.AS_TOLD], options.only)
    is_kept = True
    for kinds, fields, most in (
        (fairplay.HONEST, options.honest, _MOST_ALARMS),
        (fairplay.STYLES, options.styles, _MOST_ALARMS_OF_STYLES),
    ):
        for kind in wanted if fields else ():
            if kind in kinds:
                seen = [fair_play(fairplay.played(kind, seed)) for seed in range(options.seed, options.seed + fields)]
                alarms = sum(bool(one.suspicions) for one in seen)
                is_kept &= _print_rate("alarms", kind, seen, alarms, f"at most {most:.0%}", alarms <= most * fields)
    for kind in wanted if options.dishonest else ():
        seeds = range(options.seed, options.seed + options.dishonest)
        if kind in fairplay.DISHONEST:
            is_kept &= _is_collusion_found(kind, seeds, [kind.elo] * len(seeds))
        elif kind in fairplay.AS_TOLD:
            without = [fair_play(fairplay.played(replace(kind, deal=None), seed)) for seed in seeds]
            is_kept &= _is_collusion_found(kind, seeds, [_told(kind, one) for one in without])
    return is_kept


def _told(kind: fairplay.Kind, report: FairPlayReport) -> float:
    """Return the smallest deal of this kind that a report says it finds, in Elo; infinite if it finds none."""
    (told,) = [one.least_elo for one in report.asked if one.kind == kind.asked]
    return inf if told is None else told


def _is_collusion_found(kind: fairplay.Kind, seeds: range, sizes: Sequence[float]) -> bool:
    """Print in how many fields with deals of these sizes collusion is found; return whether it is in enough."""
    seen = [
        fair_play(fairplay.played(replace(kind, elo=elo), seed))
        for seed, elo in zip(seeds, sizes, strict=True)
        if elo < inf
    ]
    if not seen:
        print(f"found    {kind.name:52} no deal, however large, is told to be found in any field", flush=True)
        return True
    hits = sum(any(fairplay.is_true(kind, pair) for pair in one.suspicions) for one in seen)
    wrong = sum(not fairplay.is_true(kind, pair) for one in seen for pair in one.suspicions)
    has_goal = median(sizes) >= (0 if kind.elo == 0 else median(_told(kind, one) for one in seen))
    goal = f"at least {_LEAST_FOUND:.0%}" if has_goal else "none"
    note = f"deal of {median(sizes):.0f}; {wrong} innocent pairs"
    return _print_rate("found", kind, seen, hits, goal, not has_goal or hits >= _LEAST_FOUND * len(seen), note)


def _print_rate(
    what: str, kind: fairplay.Kind, seen: Sequence[FairPlayReport], hits: int, goal: str, is_met: bool, note: str = ""
) -> bool:
    told = " ".join(
        f"{one.kind} {median([found.asked[place].least_elo or inf for found in seen]):.0f}"
        for place, one in enumerate(seen[0].asked)
    )
    before = sum(map(_is_beyond_chance, seen))
    print(
        f"{what:8} {kind.name:52}{hits:4} of {len(seen):3}{hits / len(seen):7.1%}  goal {goal:13} "
        f"{'met   ' if is_met else 'MISSED'}  by chance alone {before:3}; told {told}; {note}".rstrip("; "),
        flush=True,
    )
    return is_met


def _is_beyond_chance(one: FairPlayReport) -> bool:
    """Return whether some pair goes beyond chance, whatever is usual in its field."""
    return bool(one.suspicions or one.styles or one.circles)


def check_overall(options: argparse.Namespace) -> bool:
    """Print how many of the 95 % intervals over several games hold the truth; return whether 92 to 98 % do.

    Beside them stand the ranges of ranks, how often who is ahead of another is stronger, by the table and in truth, how
    many bots were listed apart, and Kendall's tau with the true order: of this table, of Bradley and Terry's model for
    all matches as one pool, and of the same with equal weight of the games. Of copies of the best bot it prints by how
    much the others move, in halves of their intervals; it returns whether 95 % of them move by less than one.
    """
    print(f"95 % intervals, {options.simulations} simulations each (seeds from 0)")
    print(
        f"{'':32}{'intervals':>10}{'ranks':>8}{'order said / true':>19}{'apart':>7}{'tau':>7}{'pooled':>8}{'equal':>7}"
    )
    is_kept = True
    for kind in choose([*overall.KINDS, *overall.CLONES], options.only):
        if kind.clones:
            moved = sorted(overall.moved_by_clones(kind, range(options.simulations)))
            inside = sum(one < 1 for one in moved) / len(moved)
            is_kept &= inside >= _LEAST_STILL
            verdict = "" if inside >= _LEAST_STILL else "  OUTSIDE"
            print(
                f"{kind.name:40} others move by {median(moved):.2f}, {inside:.1%} by less than 1{verdict}", flush=True
            )
            continue
        seen = overall.coverage(kind, options.simulations)
        is_inside = overall.BOUNDS[0] <= seen.share <= overall.BOUNDS[1]
        is_kept &= is_inside
        ours, pooled, equal = seen.order.tolist()
        special = f"  the first: {seen.special_hits} of {seen.special}" if seen.special else ""
        print(
            f"{kind.name:32}{seen.share:10.1%}{seen.rank_hits / seen.intervals:8.1%}"
            f"{seen.said / seen.pairs:11.1%} / {seen.ahead / seen.pairs:5.1%}{seen.apart / options.simulations:7.1f}"
            f"{ours:7.3f}{pooled:8.3f}{equal:7.3f}{special}{'' if is_inside else '  OUTSIDE'}",
            flush=True,
        )
    return is_kept


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulated_fields",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, check in (
        ("official", check_official),
        ("circles", check_circles),
        ("compare", check_compare),
        ("stopping", check_stopping),
        ("fairplay", check_fairplay),
        ("overall", check_overall),
    ):
        text = check.__doc__ or ""
        command = commands.add_parser(name, help=text.split(";", 1)[0].replace("%", "%%"), description=text)
        command.set_defaults(check=check)
        command.add_argument("--only", default="", metavar="KIND", help="kinds of fields whose names begin so")
        if name in ("official", "circles"):
            command.add_argument("--simulations", type=int, default=200)
            command.add_argument("--no-speed", action="store_true")
        elif name == "overall":
            command.add_argument("--simulations", type=int, default=100)
        elif name == "compare":
            command.add_argument("--tests", type=int, default=1000)
            command.add_argument("--peer", type=int, default=1000, help="tests of the peer; 0: none")
            command.add_argument("--seed", type=int, default=1)
        elif name == "stopping":
            command.add_argument("--fields", type=int, default=50)
            command.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS)
            command.add_argument("--rounds", type=int, default=5)
            command.add_argument("--no-accuracy", action="store_true")
        else:
            command.add_argument("--honest", type=int, default=300)
            command.add_argument("--styles", type=int, default=60)
            command.add_argument("--dishonest", type=int, default=60)
            command.add_argument("--seed", type=int, default=1000, help="that of the first field of each kind")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Print the figures; 1 if a promise is not kept."""
    options = parse(argv)
    return 0 if options.check(options) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The questions of fair play: what is asked of a pair, and what the matches answer before anybody judges it. No I/O.

Two are asked of every pair that met often enough: does one do better when the other is there ("helps"), and, with three
seats or more, do both together ("together")? Each is a score test (Rao 1948) of one more parameter of the official
model. A third, what goes from one of them to the other, accuses nobody: it tells a circle of styles from a deal.

The answers come from `residuals`: what every pair of versions did at common tables, against what the model expects
there. For the ordered pair (i, j) the model gets one more parameter: what i's presence at the table adds to j's log
worth. Its score at 0 is the sum of j's residuals at tables with i. Its information is known too, also that shared with
all other parameters, which were fitted to the same matches.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.translatable import Text
from ratings.statistics.algebra import inner, inverse, product
from ratings.statistics.covariance import uncertainty
from ratings.statistics.errors import ResultsError
from ratings.statistics.fit import PRIOR_DEVIATION, Fit, Shape, local
from ratings.statistics.official_table import ELO_PER_UNIT, fit_counts
from ratings.statistics.results import Bools, Counts, Floats, Results, count, largest_tie, stages_of

LEAST_INFORMATION = 4.0
"""About what 16 even matches of two tell; with less, the normal distribution is no guide so far out in its tail."""
MAX_VERSIONS = 250
_ENTANGLED = 0.25
"""Below this share of its information a question is nearly one of strengths: of two, say, that always sit together."""
_CHUNK = 8192
_STEPS = 4
"""How often a gain, and the own change of who helps, is improved by Newton's method."""
_MOST = 4.0
"""The greatest gain that is told (695 Elo): who wins every match has none that fits best."""


class PairQuestionKind(enum.StrEnum):
    """What a suspicious pair seems to do."""

    HELPS = "helps"
    """`second` does better when `first` is at the table."""
    TOGETHER = "together"
    """Both do better when both are at the table."""


@dataclass(frozen=True, slots=True, eq=False)
class PairQuestion:
    """What is asked of two versions (places in the list of versions), and what the matches say of it.

    `score` and `information` are those of the added parameter at 0, given that the model was fitted to the same
    matches; `alone` is that information if all other parameters were known; `evidence` is it without what the prior of
    the field adds, which knows nothing of pairs; `weights` is what it shares with the model's parameters, as regression
    coefficients.
    """

    kind: PairQuestionKind
    first: int
    second: int
    score: float
    information: float
    alone: float
    evidence: float
    weights: Floats

    @property
    def is_asked(self) -> bool:
        """Return whether the two met often enough for an answer."""
        return min(self.information, self.evidence) >= LEAST_INFORMATION

    @property
    def gain(self) -> float:
        """Return the estimate of the added parameter by its score at 0, in log worth."""
        return self.score / self.information


@dataclass(frozen=True, slots=True, eq=False)
class PairFlow:
    """What goes from one version to another when both are at a table: the one's gain is the other's loss.

    `elo` is that gain, `z` the same in standard deviations.
    """

    elo: float
    z: float


@dataclass(frozen=True, slots=True, eq=False)
class FairPlayFit:
    """One fit of the official model, and all questions that its matches could answer, asked or not.

    `dispersion` tells how much more the field's blocks vary than independent matches would, at least 1.
    """

    counts: Counts
    fitted: Fit
    seen: Residuals
    dispersion: float
    questions: tuple[PairQuestion, ...]

    @property
    def asked(self) -> tuple[PairQuestion, ...]:
        """Return the questions with enough information."""
        return tuple(one for one in self.questions if one.is_asked)

    def z_of(self, one: PairQuestion) -> float:
        """Return the answer in standard deviations, by the model's variance times the dispersion."""
        return float(one.score / (one.information * self.dispersion) ** 0.5)

    def variance_of(self, one: PairQuestion) -> float:
        """Return the variance of the estimate of the gain, by the model's times the dispersion."""
        return float(self.dispersion / one.information)


def look_at(results: Results) -> FairPlayFit:
    """Fit the official model and return the questions. Raises ResultsError for more than 250 versions."""
    counts = count(results)
    if len(counts.versions) > MAX_VERSIONS:
        raise ResultsError(
            Text(
                "{count} versions are too many for a look at pairs; at most {most}",
                count=len(counts.versions),
                most=MAX_VERSIONS,
            )
        )
    fitted = fit_counts(counts, {})
    seen = residuals(counts, fitted)
    dispersion = max(1.0, uncertainty(counts, fitted).dispersion)
    peak = fitted.likeliest
    with_wide_prior = peak.precision - peak.prior + np.eye(fitted.shape.size) / PRIOR_DEVIATION**2
    spread = _Spread(inverse(peak.precision), inverse(with_wide_prior))
    size, kinds = fitted.shape.versions, kinds_of(fitted.shape.seats)
    questions = tuple(
        _ASK[kind](seen, i, j, spread)
        for i in range(size)
        for j in range(size)
        for kind in kinds
        if seen.matches[i, j] and (i < j or (i != j and kind is PairQuestionKind.HELPS))
    )
    return FairPlayFit(counts, fitted, seen, dispersion, questions)


def flows(look: FairPlayFit) -> dict[tuple[str, str], PairFlow]:
    """Return what goes from the first to the second of every two versions that met often enough, both ways round."""
    spread, names = inverse(look.fitted.likeliest.precision), look.counts.versions
    found = {}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            flow = _flow(look, i, j, spread) if look.seen.matches[i, j] else None
            if flow is not None:
                found[names[i], names[j]] = flow
                found[names[j], names[i]] = PairFlow(-flow.elo, -flow.z)
    return found


def _flow(look: FairPlayFit, i: int, j: int, spread: Floats) -> PairFlow | None:
    seen = look.seen
    shared = seen.shared[i, j] - seen.shared[j, i]
    both = seen.information[i, j] + seen.information[j, i] - 2 * seen.mixed[i, j]
    information = float(both - inner(shared, product(spread, shared)))
    if information < LEAST_INFORMATION:
        return None
    score = float(seen.scores[i, j] - seen.scores[j, i])
    return PairFlow(ELO_PER_UNIT * score / information, score / (information * look.dispersion) ** 0.5)


def kinds_of(seats: int) -> tuple[PairQuestionKind, ...]:
    """Return what is asked at tables of so many seats: at two, where one's gain is the other's loss, not of both."""
    return (PairQuestionKind.HELPS, PairQuestionKind.TOGETHER) if seats > 2 else (PairQuestionKind.HELPS,)


def possible(kind: PairQuestionKind, versions: int) -> int:
    """Return how many questions of a kind there are among so many versions."""
    return versions * (versions - 1) // (2 if kind is PairQuestionKind.TOGETHER else 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """Two covariances of the model's parameters: as fitted, and without what the prior of the field adds."""

    fitted: Floats
    wide: Floats

    def ask(
        self, kind: PairQuestionKind, pair: tuple[int, int], score: float, alone: float, shared: Floats
    ) -> PairQuestion:
        """Return a question, given the information that its parameter has alone, and what it shares."""
        weights = product(self.fitted, shared)
        information = float(alone - inner(shared, weights))
        evidence = information
        if information < _ENTANGLED * alone:
            evidence = float(alone - inner(shared, product(self.wide, shared)))
        return PairQuestion(kind, *pair, float(score), information, float(alone), evidence, weights)


def _helps(seen: Residuals, i: int, j: int, spread: _Spread) -> PairQuestion:
    """Return the question whether `j` does better when `i` is at the table."""
    return spread.ask(PairQuestionKind.HELPS, (i, j), seen.scores[i, j], seen.information[i, j], seen.shared[i, j])


def _both_gain(seen: Residuals, i: int, j: int, spread: _Spread) -> PairQuestion:
    """Return the question whether both do better when both are at the table."""
    both = seen.information[i, j] + seen.information[j, i] + 2 * seen.mixed[i, j]
    score = seen.scores[i, j] + seen.scores[j, i]
    return spread.ask(PairQuestionKind.TOGETHER, (i, j), score, both, seen.shared[i, j] + seen.shared[j, i])


_ASK: Mapping[PairQuestionKind, Callable[[Residuals, int, int, _Spread], PairQuestion]] = {
    PairQuestionKind.HELPS: _helps,
    PairQuestionKind.TOGETHER: _both_gain,
}


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """What matches say of a gain in log worth at some value of it, and by themselves.

    `score` has the variance `own` if that value is true and the strengths are known, and `borrowed` more because they
    are not; `estimate` is the most probable gain.
    """

    score: float
    own: float
    borrowed: float
    estimate: float


def gain_at(
    look: FairPlayFit, common: Results, kind: PairQuestionKind, pair: tuple[str, str], gain: float
) -> Gain | None:
    """Return what matches say of this gain of a pair, if the strengths are those of a look without these matches.

    With three seats or more, who helps may itself be weaker or stronger beside the other, by no more than this: what
    the other gains only from its opponent's weakness is no help. `None` if the look knows nothing of one who sits
    there, or of ties so large.
    """
    counts, shape = count(common), look.fitted.shape
    known = {version: place for place, version in enumerate(look.counts.versions)}
    ties = largest_tie(stages_of(counts.seats, counts.ranks, counts.counts))
    if not known.keys() >= set(counts.versions) or ties > shape.ties:
        return None
    first, second = (known[version] for version in pair)
    helped = [first, second] if kind is PairQuestionKind.TOGETHER else [second]
    counts = replace(counts, seats=np.array([known[version] for version in counts.versions], np.int64)[counts.seats])
    tables = _CommonTables(look, counts, np.isin(counts.seats, helped), counts.seats == first)
    most = 0.0 if kind is PairQuestionKind.TOGETHER or shape.seats == 2 else gain
    seen, contrast = tables.best(gain, most)
    score = inner(contrast, seen.scores)
    estimate = gain
    here, along = seen, contrast
    for _ in range(_STEPS):
        information = inner(along, product(here.information, along))
        step = inner(along, here.scores) / max(information, 1e-9)
        estimate = min(_MOST, max(-_MOST, estimate + min(1.0, max(-1.0, step))))
        here, along = tables.best(estimate, most)
    own, borrowed = seen.variances(look, contrast)
    return Gain(score, own, borrowed, estimate)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Scores of two parameters, their information, and that which they share with the model's, (2, parameters)."""

    scores: Floats
    information: Floats
    shared: Floats

    def variances(self, look: FairPlayFit, contrast: Floats) -> tuple[float, float]:
        """Return the variance of a sum of the scores, and what uncertain strengths of that look add to it."""
        own = inner(contrast, product(self.information, contrast))
        shared = (self.shared * contrast[:, None]).sum(axis=0)
        borrowed = inner(shared, product(inverse(look.fitted.likeliest.precision), shared))
        return look.dispersion * own, look.dispersion * borrowed


@dataclass(frozen=True, slots=True, eq=False)
class _CommonTables:
    """The tables of a pair, whose seats are places of the look's versions, and who sits where: two masks of the seats.

    Where they overlap, what the first mask gets is what counts.
    """

    look: FairPlayFit
    counts: Counts
    helped: Bools
    giver: Bools

    def best(self, gain: float, most: float) -> tuple[_Seen, Floats]:
        """Return what the tables say of this gain if who helps gains or loses what fits best, up to `most`.

        The contrast of both scores is the gain's efficient score.
        """
        own, seen = 0.0, self.at(gain, 0.0)
        for _ in range(_STEPS if most else 0):
            step = float(seen.scores[1] / max(seen.information[1, 1], 1e-9))
            own = min(most, max(-most, own + step))
            seen = self.at(gain, own)
        slope = float(seen.information[0, 1] / seen.information[1, 1]) if abs(own) < most else 0.0
        return seen, np.array([1.0, -slope])

    def at(self, gain: float, own: float) -> _Seen:
        """Return what the tables say if the helped gain this, and who helps gains its `own`."""
        fitted, times = self.look.fitted, self.counts.counts.astype(float)
        shape, size = fitted.shape, fitted.shape.versions
        # Who is helped, or helps, sits there as a version of its own, which is that much stronger.
        strengths = fitted.point[:size]
        point = np.concatenate([strengths, strengths + gain, strengths + own, fitted.point[size:]])
        seats = self.counts.seats + np.where(self.helped, size, np.where(self.giver, 2 * size, 0))
        wide = replace(fitted, shape=replace(shape, versions=3 * size), point=point)
        scores, information = _of_rows(replace(self.counts, seats=seats), wide)
        masks = np.stack([self.helped, self.giver & ~self.helped])
        sums = np.zeros(2)
        both, shared = np.zeros((2, 2)), np.zeros((2, shape.size))
        for number, mask in enumerate(masks):
            sums[number] = ((scores[:, : shape.seats] * mask).sum(axis=1) * times).sum()
            rows = (information[:, : shape.seats] * mask[:, :, None]).sum(axis=1) * times[:, None]
            both[number] = [(rows[:, : shape.seats] * other).sum() for other in masks]
            np.add.at(shared[number], self.counts.seats, rows[:, : shape.seats])
            shared[number, size:] += rows.sum(axis=0)
        return _Seen(sums, both, shared)


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """What each version's presence does to each other, of shape (versions, versions): [i, j] is about i's effect on j.

    `scores` and `information` are those of the added parameter; `mixed[i, j]` is the information that (i, j) and (j, i)
    share; `shared`, of shape (versions, versions, parameters), is that shared with each parameter of the model;
    `matches` counts the tables at which both sat.
    """

    scores: Floats
    information: Floats
    mixed: Floats
    shared: Floats
    matches: Floats


def residuals(counts: Counts, fitted: Fit) -> Residuals:
    """Return the residuals of all ordered pairs; a version's own second copy at the table counts as nobody's help."""
    size = fitted.shape.versions
    flat = size * size
    found = Residuals(
        np.zeros(flat), np.zeros(flat), np.zeros(flat), np.zeros((flat, fitted.shape.size)), np.zeros(flat)
    )
    for start in range(0, len(counts.seats), _CHUNK):
        _add(found, counts, fitted, slice(start, start + _CHUNK))
    square = (size, size)
    return Residuals(
        found.scores.reshape(square),
        found.information.reshape(square),
        found.mixed.reshape(square),
        found.shared.reshape(size, size, -1),
        found.matches.reshape(square),
    )


def _add(found: Residuals, counts: Counts, fitted: Fit, rows: slice) -> None:
    seats, times = counts.seats[rows], counts.counts[rows].astype(float)
    shape = fitted.shape
    part = replace(counts, seats=seats, ranks=counts.ranks[rows], counts=counts.counts[rows])
    scores, information = _of_rows(part, fitted)
    shared = found.shared.reshape(-1)
    for a in range(shape.seats):
        for b in range(shape.seats):
            if a == b:
                continue
            others = seats[:, a] != seats[:, b]
            weights = np.where(others, times, 0.0)
            pair = seats[:, a] * shape.versions + seats[:, b]
            np.add.at(found.scores, pair, weights * scores[:, b])
            np.add.at(found.information, pair, weights * information[:, b, b])
            np.add.at(found.mixed, pair, weights * information[:, a, b])
            np.add.at(found.matches, pair, weights)
            base = pair * shape.size
            for c in range(shape.seats):
                np.add.at(shared, base + seats[:, c], weights * information[:, b, c])
                np.add.at(shared, base + shape.versions + c, weights * information[:, b, c])
            for tie in range(shape.ties - 1):
                np.add.at(shared, base + shape.first_tie + tie, weights * information[:, b, shape.seats + tie])


def _of_rows(counts: Counts, fitted: Fit) -> tuple[Floats, Floats]:
    """Return the score and the information of each row in the log worths of its seats and the ties."""
    shape: Shape = fitted.shape
    seats, ranks = counts.seats, counts.ranks
    unknowns = shape.seats + shape.ties - 1
    scores = np.zeros((len(seats), unknowns))
    information = np.zeros((len(seats), unknowns, unknowns))
    for stages in stages_of(seats, ranks, counts.counts):
        seen = local(stages, shape, fitted.point)
        left = len(stages.seats)
        columns = [*stages.seats, *(np.full(len(stages), shape.seats + tie) for tie in range(shape.ties - 1))]
        for a in range(left + shape.ties - 1):
            scores[stages.rows, columns[a]] += seen.scores[a]
            for b in range(left + shape.ties - 1):
                information[stages.rows, columns[a], columns[b]] += seen.information[a][b]
    return scores, information

"""What is run, and what decides: written down before the runs that it decides. `report` prints all of this."""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._store import Run, Settings

SEEDS = 10
#: Smaller seeds were tried out while sizes were chosen.
FIRST_SEED = 101

RULE = """\
Seeds are paired: with one seed all encodings of an experiment see the same sequences, and each begins from its own
draw of that seed. A contrast is a difference of two measured numbers, one for each seed, and claims that its mean is
above a margin. Printed are the mean, its 95 % interval (Student's t), the effect size (the mean over the standard
deviation of the differences) and the two-sided p of the mean being the margin. p is adjusted for all planned contrasts
together (Holm), also those without results. A contrast with fewer than five pairs is not decided.

    supported     adjusted p < 0.025, and the mean is above the margin
    refuted       adjusted p < 0.025, and the mean is below the margin
    not decided   otherwise, or if the number that must be exceeded is so near 1 that nothing exceeds it by the margin

A sentence is supported if all its contrasts are, refuted if one is refuted and none supported, conditional if one is
supported and another refuted, and else not decided. Runs are never left out, and none is repeated with another seed
because of what it gave.

The contrasts were judged first with five seeds, at 0.05, and three sentences were not decided. Then ten seeds were planned
for all of them, for one more and last judgement at half the level, 0.025: two judgements at 0.025 err no more often than
one at 0.05. The clause on numbers near 1 was added at the same time."""

FEWEST_PAIRS = 5
LEVEL = 0.025


class Part(NamedTuple):
    """Runs of one experiment that differ in encoding and seed alone."""

    experiment: str
    settings: Settings
    primary: Tuple[str, ...]  #: encodings that the contrasts need
    further: Tuple[str, ...]
    seconds: float  #: of a run, about, on one core


#: Metrics that are parts of 1.
SHARES = ("reverse", "token_back", "later", "digits_trained", "digits_40", "digits_80", "word_before", "position_before",
          "word_after", "position_after", "least_before", "task")


class Side(NamedTuple):
    """A measured number."""

    part: str
    encoding: str
    metric: str


class Contrast(NamedTuple):
    """The claim that larger - smaller is above the margin; without one of them it counts as 0."""

    name: str
    claims: str
    larger: Optional[Side]
    smaller: Optional[Side]
    margin: float


class Sentence(NamedTuple):
    """What a document says, and the contrasts that decide it."""

    name: str
    experiment: str
    source: str
    text: str
    contrasts: Tuple[Contrast, ...]


ABOUT: Dict[str, str] = {
    "order": "reverse, the token three back, and which of two marks comes later, without a mask",
    "length": "copy and addition, trained on 4 to 20 digits, measured on 40 and 80; causal",
    "text": "characters of the King James Version (Debian: bible-kjv): loss within and beyond the trained length; causal",
    "theta": "the same with trained frequencies: where they go, and whether that helps",
    "adding": "word and position read from their sum by linear maps, before and after training",
    "far": "one model at offsets to 10^6, with exact, float32 and bfloat16-position tables; causal",
    "distance": "|m - n| from p(m) and p(n), and p(t + 7) from p(t), by a linear map and by a hidden layer",
}

_SMALL: Settings = {"model": "transformer", "width": 48, "heads": 4, "layers": 2, "batch": 64, "rate": 0.003}
_ORDER: Settings = {**_SMALL, "length": 8, "words": 10, "steps": 400}
_LENGTH: Settings = {**_SMALL, "width": 64, "batch": 32, "steps": 800}
_TEXT: Settings = {**_SMALL, "width": 64, "length": 64, "batch": 16, "steps": 800, "theta_rate": 0.01}
_ADDING: Settings = {**_SMALL, "layers": 1, "length": 48, "words": 48, "batch": 32, "steps": 600}
_ADDED = ("sinusoidal-1000", "sinusoidal-100", "sinusoidal-smallest", "power-1", "power-2", "power-3", "trainable",
          "trainable-log", "learned", "concatenated", "concatenated-equal", "rotary", "rotary-half", "random-offsets",
          "bfloat16-positions")
_TRAINED = ("trainable", "trainable-log", "trainable-log-1000", "trainable-log-random")


def _others(*without: str) -> Tuple[str, ...]:
    return tuple(name for name in _ADDED if name not in without)


PARTS: Dict[str, Part] = {
    "order": Part("order", _ORDER, ("none", "sinusoidal"), _others(), 20),
    "order-gru": Part("order", {**_ORDER, "model": "gru"}, ("none",), (), 20),
    "order-lstm": Part("order", {**_ORDER, "model": "lstm"}, ("none",), (), 20),
    "distance": Part("distance", {"length": 256, "width": 64, "steps": 600, "rate": 0.01}, ("sinusoidal", "learned"),
                     ("sinusoidal-1000", "sinusoidal-100", "power-1", "power-2", "power-3", "random-theta"), 6),
    "adding-48": Part("adding", _ADDING, ("sinusoidal", "concatenated"), ("learned", "concatenated-equal"), 12),
    "adding-96": Part("adding", {**_ADDING, "width": 96}, ("sinusoidal", "concatenated"),
                      ("learned", "concatenated-equal"), 18),
    "far": Part("far", {**_SMALL, "length": 32, "words": 16, "batch": 32, "steps": 800},
                ("rotary", "random-offsets"), ("rotary-half",), 25),
    "text": Part("text", _TEXT, ("sinusoidal", "learned", "sinusoidal-1000", "concatenated-equal"),
                 ("none",) + _others("sinusoidal-1000", "learned", "concatenated-equal", "trainable", "trainable-log"), 40),
    "theta": Part("theta", _TEXT, ("trainable", "trainable-log", "trainable-log-1000"),
                  ("random-theta", "trainable-log-random"), 45),
    "length-copy": Part("length", {**_LENGTH, "task": "copy", "length": 41}, ("sinusoidal", "random-offsets"),
                        ("none",) + _others("random-offsets"), 35),
    "length-addition": Part("length", {**_LENGTH, "task": "addition", "length": 63}, ("sinusoidal",),
                            ("none",) + _others(), 50),
}

_FIRST, _SECOND, _THIRD = ("the first document (question 123715)", "the second document (kexue.fm 8231)",
                           "the third document (Transformers Breakdown)")


def _of(part: str, encoding: str, metric: str) -> Side:
    return Side(part, encoding, metric)


SENTENCES: Tuple[Sentence, ...] = (
    Sentence("order-known", "order", _FIRST,
             "older models like RNNs and LSTMs naturally understand position. But Transformer doesn't", (
        Contrast("transformer-guesses", "without positions no task is more than 0.03 above guessing from the multiset",
                 None, _of("order", "none", "most_gain"), -0.03),
        Contrast("gru-knows", "a GRU is 0.05 above guessing in every task", _of("order-gru", "none", "least_gain"), None, 0.05),
        Contrast("lstm-knows", "an LSTM is 0.05 above guessing in every task", _of("order-lstm", "none", "least_gain"), None, 0.05))),
    Sentence("symmetry-broken", "order", _SECOND,
             "as long as the encoding vector is different for each position, this full symmetry is broken", (
        Contrast("sinusoidal-knows", "with 10000^(-2i/d) the worst of the tasks gains 0.1 over none",
                 _of("order", "sinusoidal", "least_gain"), _of("order", "none", "least_gain"), 0.1),)),
    Sentence("any-length", "length", _THIRD,
             "This property is crucial for handling sequences of varying lengths [...] including those that are longer "
             "than the ones the model were trained on", (
        Contrast("copy-learned", "copies of 4 to 20 digits are right to 0.9", _of("length-copy", "sinusoidal", "digits_trained"),
                 None, 0.9),
        Contrast("copy-longer", "40 digits are copied as well, to 0.05", _of("length-copy", "sinusoidal", "digits_40"),
                 _of("length-copy", "sinusoidal", "digits_trained"), -0.05),
        Contrast("copy-longer-offsets", "with random offsets in training, 40 digits are copied as well, to 0.05",
                 _of("length-copy", "random-offsets", "digits_40"), _of("length-copy", "random-offsets", "digits_trained"), -0.05),
        Contrast("addition-learned", "sums of numbers of 4 to 20 digits are right to 0.9",
                 _of("length-addition", "sinusoidal", "digits_trained"), None, 0.9),
        Contrast("addition-longer", "40 digits are added as well as 4 to 20, to 0.05",
                 _of("length-addition", "sinusoidal", "digits_40"), _of("length-addition", "sinusoidal", "digits_trained"), -0.05))),
    Sentence("learned", "text", _SECOND,
             "directly trained position encoding performs slightly better than Sinusoidal position encoding", (
        Contrast("learned-within", "within the trained length the loss is lower with a learned table",
                 _of("text", "sinusoidal", "loss_within"), _of("text", "learned", "loss_within"), 0.0),
        Contrast("learned-beyond", "beyond the trained length the loss is lower with a learned table",
                 _of("text", "sinusoidal", "loss_beyond"), _of("text", "learned", "loss_beyond"), 0.0))),
    Sentence("base-1000", "text", _SECOND, "If I were to choose, I would likely pick theta_t = 1000^-t", (
        Contrast("base-1000-within", "the loss is lower with 1000 than with 10000",
                 _of("text", "sinusoidal", "loss_within"), _of("text", "sinusoidal-1000", "loss_within"), 0.0),)),
    Sentence("words-longer", "text", _SECOND, "the average magnitude of word embeddings is larger than that of position embeddings", (
        Contrast("words-longer-than-learned", "the mean norm of words is larger, where both began alike", _of("text", "learned", "words_norm"),
                 _of("text", "learned", "positions_norm"), 0.0),)),
    Sentence("covariance", "text", _SECOND,
             "the covariance matrix of the word embedding matrix and position embedding matrix [...] the diagonal elements "
             "are significantly larger than the off-diagonal elements", (
        Contrast("words-diagonal", "the words' mean correlation off the diagonal is below 0.2 in size",
                 None, _of("text", "learned", "words_mean_correlation"), -0.2),
        Contrast("positions-diagonal", "the learned positions' mean correlation is below 0.2 too",
                 None, _of("text", "learned", "positions_mean_correlation"), -0.2))),
    Sentence("trainable", "theta", _SECOND,
             "directly set theta_i = 10000^(-2i/d) as the initialization values for each theta_i, and then make them trainable", (
        Contrast("theta-helps", "the loss is lower if theta is trained", _of("text", "sinusoidal", "loss_within"),
                 _of("theta", "trainable", "loss_within"), 0.0),
        Contrast("log-theta-helps", "the loss is lower if its logarithm is trained", _of("text", "sinusoidal", "loss_within"),
                 _of("theta", "trainable-log", "loss_within"), 0.0),
        Contrast("log-theta-1000-helps", "the loss is lower if the logarithm is trained from 1000^(-2i/d)", _of("text", "sinusoidal-1000", "loss_within"),
                 _of("theta", "trainable-log-1000", "loss_within"), 0.0))),
    Sentence("not-spoiled", "adding", _FIRST, "adding positional encodings to token embeddings don't mess up their meanings", (
        Contrast("word-read", "after training the word is read from the sum in 0.99 of all cases, width 96",
                 _of("adding-96", "sinusoidal", "word_after"), None, 0.99),
        Contrast("position-read", "after training the position is read from the sum in 0.99 of all cases, width 96", _of("adding-96", "sinusoidal", "position_after"), None, 0.99),
        Contrast("task-as-beside", "the task is done as well as with positions beside the words, to 0.02",
                 _of("adding-96", "sinusoidal", "task"), _of("adding-96", "concatenated", "task"), -0.02),
        Contrast("text-as-beside", "the loss on text is as low as beside the words with as many parameters, to 0.02 nats",
                 _of("text", "concatenated-equal", "loss_within"), _of("text", "sinusoidal", "loss_within"), -0.02))),
    Sentence("dimensions", "adding", _FIRST,
             "768 gives double degrees of freedom and you can package a lot more information there", (
        Contrast("wider-before", "before training the less readable of word and position gains 0.02 from 48 to 96",
                 _of("adding-96", "sinusoidal", "least_before"), _of("adding-48", "sinusoidal", "least_before"), 0.02),
        Contrast("wider-task", "the task gains 0.02 from 48 to 96", _of("adding-96", "sinusoidal", "task"),
                 _of("adding-48", "sinusoidal", "task"), 0.02))),
    Sentence("position-free", "far", _THIRD, "x_t x_{t-k} should not depend on t", (
        Contrast("rotary-far", "a rotary model loses no more than 0.01 nats at offset 10^6, exact",
                 None, _of("far", "rotary", "change_exact_1000000"), -0.01),
        Contrast("offsets-far", "an added encoding that was trained at random offsets loses no more either",
                 None, _of("far", "random-offsets", "change_exact_1000000"), -0.01))),
    Sentence("arithmetic", "far", "this project (docs/numerics.md)", "tables must be exact far out", (
        Contrast("bfloat16-far", "bfloat16 positions cost a rotary model 0.1 nats at 10^4",
                 _of("far", "rotary", "change_bfloat16_10000"), None, 0.1),
        Contrast("float32-far", "angles in float32 cost a rotary model 0.01 nats at 10^6",
                 _of("far", "rotary", "change_float32_1000000"), None, 0.01))),
    Sentence("linear-easier", "distance", _THIRD,
             "For the Sinusoidal Embedding function to be linear is good, because functions having such property are more "
             "easily learned by neural networks", (
        Contrast("shift-linear", "a linear map finds p(t + 7) from p(t) with less error than a hidden layer",
                 _of("distance", "sinusoidal", "shift_hidden"), _of("distance", "sinusoidal", "shift_linear"), 0.0),
        Contrast("shift-sinusoidal", "the linear map leaves 0.1 less of the variance than for random rows",
                 _of("distance", "learned", "shift_linear"), _of("distance", "sinusoidal", "shift_linear"), 0.1),
        Contrast("distance-linear", "a linear map finds |m - n| with less than 0.1 of its variance as error",
                 None, _of("distance", "sinusoidal", "distance_linear"), -0.1))),
)


def contrasts() -> List[Contrast]:
    """All of them: those p is adjusted for."""
    return [contrast for sentence in SENTENCES for contrast in sentence.contrasts]


def planned(experiments: Sequence[str], seeds: int, encodings: Optional[Sequence[str]] = None) -> List[Run]:
    """The runs of these experiments (all, if none is named), part by part, seed by seed.

    encodings: the primary ones of each part if None; "all" stands for all of a part.
    """
    runs = []
    for part in PARTS.values():
        if experiments and part.experiment not in experiments:
            continue
        known = part.primary + part.further
        chosen = part.primary if encodings is None else known if "all" in encodings else \
            tuple(name for name in encodings if name in known)
        runs += [Run(part.experiment, name, seed, part.settings) for seed in range(FIRST_SEED, FIRST_SEED + seeds) for name in chosen]
    return runs


def seconds_of(run: Run) -> float:
    """About how long it takes."""
    return next((part.seconds for part in PARTS.values()
                 if part.experiment == run.experiment and part.settings == run.settings), 30.0)

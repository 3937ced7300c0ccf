"""The expectations that need judgement. Every threshold says why it is where it is; figures
"measured" are those of the corpus when the threshold was set."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from cardbook.package import Package
from expectations import frames
from expectations.model import Expect, Judged, at_most, between, some_rows

if TYPE_CHECKING:
    import duckdb

#: Phase → ranges of the 10th, 50th and 90th percentile per card with enough rows.
RANGES = {
    # Measured: medians 0.021 (a card whose rows mostly spill to host memory) to 0.49, p90 0.35 to 0.88.
    "decode": ((0.0005, 0.80), (0.01, 0.85), (0.05, 0.95)),
    # Measured: medians 0.027 to 0.094, p90 0.048 to 0.21. Short prompts leave arithmetic idle.
    "prefill": ((0.0005, 0.50), (0.01, 0.60), (0.02, 0.90)),
    # Measured: p10 from 0.0001, medians 0.0036 to 0.30, p90 0.16 to 0.72. A runner that passes
    # layers from card to card under 64 requests comes to 4e-5 of the wall of four cards, truly.
    "serve": ((0.00002, 0.60), (0.001, 0.80), (0.02, 0.95)),
}
#: Phase → ranges of the median and the 90th percentile over all cards. A factor of two in every
#: byte or rate leaves single cards plausible and moves these. Measured: decode 0.38 and 0.82,
#: prefill 0.057 and 0.19, serve 0.13 and 0.43.
OVERALL = {"decode": ((0.25, 0.55), (0.60, 0.92)), "prefill": ((0.035, 0.10), (0.12, 0.35)), "serve": ((0.08, 0.22), (0.30, 0.65))}
WHY_MEDIAN = (
    "a typical row below the range is a rate in the wrong unit or a spill that nobody declared; "
    "one near the wall says that the card's bandwidth or peak is entered too low"
)
WHY_P90 = "the better rows of a card come near what engines reach (0.5 to 0.9 in decode), and never to the wall itself, which counts no overhead at all"
WHY_BEST = "the strict wall is physics: a row above it is an error in the row, in the card's figures or in the model's bytes"
WHY_P10 = "the slowest tenth of a card may be badly set up, not as far down as seconds taken for milliseconds"

#: No source may be more than half of the corpus: past that, an average over the corpus is one
#: lab's way of measuring. Measured: the largest has 0.48 of the measurements, 0.34 of the recipes.
SOURCE_SHARE = 0.5
#: Engines release every few weeks and cards every other year; a corpus whose newest row is older
#: than nine months describes engines that nobody runs. Measured: 106 days.
DAYS_SINCE_NEWEST = 270
#: Few public pages say the day. Measured: 0.245; below a sixth, freshness is a guess.
DATED_SHARE = 0.16

_ALWAYS = "a submission is complete or it is not one"
_BOUND = "without it the wall cannot be computed"
#: (relation, column, tier, phase or "") → (largest share of null, reason). The limits of the
#: reported tier lie about a tenth above what was measured, in brackets.
NULLS: dict[tuple[str, str, str, str], tuple[float, str]] = {
    ("recipes", "source", "reported", ""): (0.0, "a transcribed figure without its page is a rumour"),
    ("recipes", "checkpoint", "reported", ""): (0.0, "quality hangs on the checkpoint"),
    ("recipes", "n_cards", "reported", ""): (0.02, _BOUND + " [0.00]"),
    ("recipes", "parallelism", "reported", ""): (0.20, "[0.10]"),
    ("recipes", "speculation", "reported", ""): (0.60, "undeclared speculation loosens the bound [0.47]"),
    ("recipes", "host_offload", "reported", ""): (0.80, "pages seldom say it where the model fits [0.71]"),
    ("recipes", "engine_version", "reported", ""): (0.75, "[0.62]"),
    ("recipes", "driver", "reported", ""): (0.75, "[0.61]"),
    ("recipes", "backend", "reported", ""): (0.60, "[0.44]"),
    ("recipes", "tool", "reported", ""): (0.50, "[0.37]"),
    ("recipes", "measured_on", "reported", ""): (0.84, "the complement of the dated share [0.76]"),
    ("measurements", "concurrency", "reported", "decode"): (0.05, _BOUND + " [0.00]"),
    ("measurements", "concurrency", "reported", "prefill"): (0.05, _BOUND + " [0.00]"),
    ("measurements", "concurrency", "reported", "serve"): (0.30, _BOUND + " [0.15]"),
    ("measurements", "prompt_tokens", "reported", "prefill"): (0.15, _BOUND + " [0.03]"),
    ("measurements", "depth_tokens", "reported", "decode"): (0.45, "taken as none where absent [0.28]"),
    ("efficiency", "rate_tok_s", "reported", "decode"): (0.05, "a row without a rate says nothing [0.01]"),
    ("efficiency", "rate_tok_s", "reported", "prefill"): (0.05, "a row without a rate says nothing [0.00]"),
    ("efficiency", "rate_tok_s", "reported", "serve"): (0.05, "a row without a rate says nothing [0.02]"),
    ("efficiency", "wall_tok_s", "reported", "decode"): (0.20, "an unbounded row is unchecked [0.07]"),
    ("efficiency", "wall_tok_s", "reported", "prefill"): (0.25, "an unbounded row is unchecked [0.12]"),
    ("efficiency", "wall_tok_s", "reported", "serve"): (0.25, "an unbounded row is unchecked [0.11]"),
    **{
        ("recipes", column, "submitted", ""): (0.0, _ALWAYS)
        for column in ("n_cards", "checkpoint", "engine_version", "driver", "command", "speculation", "host_offload", "raw_output", "signed_off")
    },
    **{("efficiency", "wall_tok_s", "submitted", phase): (0.0, "a submission can be completed until it is bounded") for phase in RANGES},
}


def walls(db: duckdb.DuckDBPyConnection, phase: str) -> Judged:
    """The distribution of the fraction of the wall per card."""
    p10, median, p90 = RANGES[phase]
    expects = (
        some_rows("a corpus without a bounded row of a phase checks nothing"),
        Expect("ExpectColumnValuesToBeBetween", {"column": "best", "min_value": 0, "strict_min": True, "max_value": 1}, WHY_BEST),
        between("q10", *p10, WHY_P10),
        between("q50", *median, WHY_MEDIAN),
        between("q90", *p90, WHY_P90),
    )
    return Judged(f"wall-{phase}", f"Fraction of the strict wall per card, {phase}", frames.walls(db, phase), expects, ("card",))


def overall(db: duckdb.DuckDBPyConnection) -> Judged:
    """The distribution of the fraction of the wall over all cards, each phase beside its range."""
    rows = frames.overall(db)
    for i, column in enumerate(("q50", "q90")):
        rows[f"{column}_least"] = [OVERALL[phase][i][0] for phase in rows["phase"]]
        rows[f"{column}_most"] = [OVERALL[phase][i][1] for phase in rows["phase"]]
    why = "a factor of two in every byte or rate leaves single cards plausible and moves the whole"
    expects = [some_rows("every phase has bounded rows", len(OVERALL))]
    for column in ("q50", "q90"):
        expects += [at_most(f"{column}_least", column, why), at_most(column, f"{column}_most", why)]
    return Judged("wall-overall", "Fraction of the strict wall over all cards", rows, tuple(expects), ("phase",))


def sources(db: duckdb.DuckDBPyConnection) -> Judged:
    expects = (
        some_rows("with one or two sources nothing is independent", 3),
        between("share_of_measurements", 0, SOURCE_SHARE, "past one half the corpus is one lab's view"),
        between("share_of_recipes", 0, SOURCE_SHARE, "past one half the corpus is one lab's view"),
    )
    return Judged("sources", "Share of each source", frames.shares(db), expects, ("origin",))


def freshness(db: duckdb.DuckDBPyConnection, today: date) -> Judged:
    expects = (
        some_rows("one row"),
        Expect("ExpectColumnValuesToNotBeNull", {"column": "newest"}, "a corpus without a date has no age"),
        between("days_since_newest", None, DAYS_SINCE_NEWEST, "engines move on within months"),
        between("dated_share", DATED_SHARE, 1, "below it the age of the corpus is a guess"),
        between("unreadable", 0, 0, "a date is ISO 8601"),
        between("in_the_future", 0, 0, "nothing was measured tomorrow"),
    )
    return Judged("freshness", "Freshness", frames.freshness(db, today), expects, ("newest",))


def nulls(db: duckdb.DuckDBPyConnection, package: Package) -> Judged:
    """The share of null per column and tier, each beside its limit."""
    rows = frames.nulls(db, package)
    named = list(zip(rows["relation"], rows["column_name"], rows["tier"], rows["phase"], strict=True))
    rows["most_null"] = [NULLS[key][0] if key in NULLS else None for key in named]
    rows["most_null"] = rows["most_null"].astype("float64")
    rows["why"] = [NULLS[key][1] if key in NULLS else "" for key in named]
    expects = (
        some_rows("a limit that meets no row limits nothing", len({key[1] for key in NULLS})),
        at_most("share_null", "most_null", "each limit stands in its row with its reason; columns without one may be empty"),
    )
    return Judged("nulls", "Share of null per column and tier", rows, expects, ("relation", "column_name", "tier", "phase"))


def judged(db: duckdb.DuckDBPyConnection, package: Package, today: date) -> list[Judged]:
    """Everything judged by hand, of one release."""
    return [*(walls(db, phase) for phase in RANGES), overall(db), sources(db), freshness(db, today), nulls(db, package)]

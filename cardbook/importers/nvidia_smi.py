"""nvidia-smi: the query CSV (once or in a loop), `-q`, `-q -x`, dmon, the table, `-L`, `--version`.

Memory is in MiB and is the whole card's, of whatever process; power is what the driver calls
power.draw (a mean over the last second on newer branches). A memory clock is not a data
rate. With MIG on, every figure of the CSV is still the whole card's.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

from cardbook.importers import nvidia_smi_tree, readouts
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.readouts import Card, quantity, whole
from cardbook.importers.serving import truncated

NAME = "nvidia-smi"

_QUERY_FIELD = re.compile(
    r"(?:memory\.(?:total|used|free|reserved)|(?:enforced\.)?power\.(?:draw|limit)|clocks\.[\w.]+|utilization\.gpu|temperature\.gpu|driver_version)\b"
)
_COLUMN = re.compile(r"[\w.]{1,80}(?: \[[^\]]{1,10}\])?")
_DMON_BEGINS = re.compile(r"# ?(?:\w+ +)*gpu +(?!.*\bpid\b)[\w ]*\n")
_PMON_BEGINS = re.compile(r"# ?(?:\w+ +)*gpu +(?:\w+ +)*pid\b")
_LIST_LINE = re.compile(r"GPU \d+: (?P<name>.+?) \(UUID: .*\)|  MIG (?P<profile>\S+) +Device +\d+: \(UUID: .*\)")
_VERSION_BEGINS = re.compile(r"NVIDIA-SMI version +: ")
_TABLE_HEAD = re.compile(r"\| NVIDIA-SMI (?P<smi>\S+) +(?:Driver|KMD) Version: (?P<driver>\S+)")
_TABLE_NAME = re.compile(r"\| +(?P<index>\d+) +(?P<name>\S.*?) +(?:On|Off|WDDM|TCC|MCDM|N/A) +\| +[0-9A-Fa-f]+:[0-9A-Fa-f:.]+ ")
_TABLE_USE = re.compile(r"\|[^|]*?(?P<temp>\d+)C +P\d+ +(?P<draw>\S+) */ *(?P<cap>\S+) +\| +(?P<used>\S+) */ *(?P<total>\S+) +\|")
_TABLE_MIG = re.compile(r"\| +\| +\| +(?P<mig>Enabled\*?|Disabled\*?|N/A) +\|")
_LONGEST_LINE = 200
_WHOLE_TABLE = re.compile(r"^\+-[-+]*\+\s*$", re.MULTILINE)

#: Field of the query without its unit → (key, units, what it is); the first that says something wins.
_SAMPLES = (
    ("memory_used_bytes", readouts.MEMORY, ("memory.used",)),
    ("power_w", readouts.POWER, ("power.draw", "power.draw.average", "power.draw.instant")),
    ("sm_clock_hz", readouts.CLOCK, ("clocks.current.sm", "clocks.sm")),
    ("memory_clock_hz", readouts.CLOCK, ("clocks.current.memory", "clocks.mem")),
    ("temperature_c", readouts.TEMPERATURE, ("temperature.gpu",)),
)
_FACTS = (
    ("memory_total_bytes", readouts.MEMORY, ("memory.total",)),
    ("power_limit_w", readouts.POWER, ("enforced.power.limit", "power.limit")),
    ("sm_clock_max_hz", readouts.CLOCK, ("clocks.max.sm",)),
    ("memory_clock_max_hz", readouts.CLOCK, ("clocks.max.memory", "clocks.max.mem")),
)
_WHO = ("index", "pci.bus_id", "gpu_bus_id", "uuid", "gpu_uuid")
# Names that people's own loops give their columns, with the unit in the name.
_OWN = {
    "mem_used_mib": "memory.used [MiB]",
    "mem_total_mib": "memory.total [MiB]",
    "power_w": "power.draw [W]",
    "power_limit_w": "power.limit [W]",
    "temp_c": "temperature.gpu",
}


def recognise(raw: RawOutput) -> bool:
    """True for the output of any of these commands."""
    return _form(raw) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading: what the cards were, and what they drew and held. Raises `Refused`."""
    form = _form(raw)
    if form is None:
        raise Refused("no output of nvidia-smi that is known here", "the query CSV, -q, dmon or the table", "Run nvidia-smi --query-gpu=… --format=csv.")
    return [form(raw)]


def _form(raw: RawOutput) -> Callable[[RawOutput], Reading] | None:
    head = raw.text[:20_000]
    first = head.split("\n", 1)[0].strip()
    if nvidia_smi_tree.TEXT_BEGINS.match(head.lstrip()) or nvidia_smi_tree.XML_BEGINS.match(head):
        return _tree
    if _PMON_BEGINS.match(head) or "used_gpu_memory" in first or "used_memory" in first.split("[")[0]:
        return _processes
    if _DMON_BEGINS.match(head):
        return _dmon
    if _LIST_LINE.match(head):
        return _list
    if _VERSION_BEGINS.match(head):
        return _version
    names = [name.strip() for name in first.split(",")]
    columns = len(names) > 1 and all(_COLUMN.fullmatch(name) for name in names)
    if columns and (any(_QUERY_FIELD.match(name) for name in names) or {"index", "mem_used_mib"} <= set(names)):
        return _query
    return _table if _TABLE_HEAD.search(head[:2000]) else None


def _tree(raw: RawOutput) -> Reading:
    cards, driver, attached = nvidia_smi_tree.read(raw)
    reading = readouts.fold(NAME, cards, driver=driver)
    if attached > len(cards):
        reading.questions.append(("n_cards", f"The report shows {len(cards)} of {attached} cards: did the run use only those?"))
    return reading


def _processes(raw: RawOutput) -> Reading:
    raise Refused(
        "what single processes hold and do",
        "what the card holds and draws",
        "Sample the card while the benchmark runs: nvidia-smi --query-gpu=index,name,driver_version,memory.used,power.draw --format=csv -l 1.",
        line=1,
    )


def _rows(raw: RawOutput) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """(columns, [(line, values by column)]) of a CSV whose every row is whole."""
    reader = csv.reader(io.StringIO(raw.text), skipinitialspace=True)
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        columns = [_OWN.get(name.strip(), name.strip()) for name in next(reader)]
        for row in reader:
            if not row or row == [""]:
                continue
            values = [value.strip() for value in row]
            if len(values) != len(columns):
                raise truncated(raw, NAME, f"{len(values)} values under {len(columns)} columns", reader.line_num)
            if [_OWN.get(value, value) for value in values] == columns:
                raise Refused("a second header: two outputs in one file", "one output", "Keep one run in a file.", line=reader.line_num)
            rows.append((reader.line_num, dict(zip(columns, values, strict=True))))
    except csv.Error as error:
        raise truncated(raw, NAME, str(error), reader.line_num) from None
    if len(set(columns)) != len(columns):
        raise Refused("a column that stands twice", "every column once", "Query each field once.", line=1)
    return columns, rows


def _query(raw: RawOutput) -> Reading:
    columns, rows = _rows(raw)
    plain = {re.sub(r"\s*\[.*\]$", "", name): name for name in columns}
    units = {name: match.group(1) for name in columns if (match := re.search(r"\[(.+)\]$", name))}

    def value(row: dict[str, str], names: tuple[str, ...], scales: dict[str, float], line: int) -> float | None:
        for name in names:
            column = plain.get(name)
            # Temperatures stand without a unit.
            unit = "c" if name.startswith("temperature") else units.get(column or "")
            made = None if column is None else quantity(row[column], scales, name, NAME, unit=unit, line=line)
            if made is not None:
                return made
        return None

    who = next((plain[name] for name in _WHO if name in plain), None)
    if who is None and len(rows) > 1:
        raise Refused(
            f"{len(rows)} rows that do not say which card each is of",
            "a column that tells the cards apart",
            "Query index as well: cards and samples look alike without it.",
            line=1,
        )
    cards: dict[str, Card] = {}
    drivers = set()
    for line, row in rows:
        card = cards.setdefault(row[who] if who else "", Card())
        sample = {key: value(row, names, scales, line) for key, scales, names in _SAMPLES}
        sample["memory_used_bytes"] = whole(sample["memory_used_bytes"])
        card.samples.append(dict(sample) | _throttling(plain, row))
        facts = {key: value(row, names, scales, line) for key, scales, names in _FACTS}
        facts["memory_total_bytes"] = whole(facts["memory_total_bytes"])
        _same(card, {k: v for k, v in facts.items() if v is not None} | _names(plain, row), line)
        drivers |= {row[plain[name]] for name in ("driver_version", "kmd_version") if name in plain and re.match(r"[\d.]+$", row[plain[name]])}
    return readouts.fold(NAME, cards.values(), driver=drivers.pop() if len(drivers) == 1 else None)


def _names(plain: dict[str, str], row: dict[str, str]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name in ("name", "gpu_name"):
        if name in plain and not readouts.absent(row[plain[name]]):
            made["card_as_written"] = row[plain[name]]
    if row.get(plain.get("mig.mode.current", "")) in ("Enabled", "Disabled"):
        made["mig"] = row[plain["mig.mode.current"]] == "Enabled"
    return made


def _same(card: Card, facts: dict[str, object], line: int) -> None:
    """Keeps facts of a card; a limit that was changed during the loop is no single limit."""
    for key, fact in facts.items():
        before = card.facts.setdefault(key, fact)
        if before != fact:
            found = f"{key} of one card is {before!r} and later {fact!r}"
            raise Refused(found, "one setting during a run", "Give the samples of one run, with one setting.", line=line)


def _throttling(plain: dict[str, str], row: dict[str, str]) -> dict[str, list[str]]:
    told: list[str] | None = None
    for name, column in plain.items():
        family, _, reason = name.partition(".")
        if family in ("clocks_event_reasons", "clocks_throttle_reasons") and row[column] in ("Active", "Not Active"):
            told = told or []
            if row[column] == "Active":
                told.append(reason)
    return {} if told is None else {"throttle_reasons": told}


def _dmon(raw: RawOutput) -> Reading:
    lines = raw.text.splitlines()
    names = lines[0].lstrip("#").split()
    units = lines[1].lstrip("#").split() if len(lines) > 1 else []
    if len(units) != len(names) or len(set(names)) != len(names):
        raise truncated(raw, NAME, "dmon without its two header lines", 1)
    cards: dict[str, Card] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            if words and line.lstrip("#").split() not in (names, units):
                raise Refused("another header: two outputs in one file", "one output", "Keep one run in a file.", line=number)
            continue
        if len(words) != len(names):
            raise truncated(raw, NAME, f"{len(words)} values under {len(names)} columns", number)
        row = dict(zip(names, words, strict=True))

        def value(name: str, scales: dict[str, float], row: dict[str, str] = row, number: int = number) -> float | None:
            return quantity(row[name], scales, name, NAME, unit=units[names.index(name)], line=number) if name in row else None

        sample = {"power_w": value("pwr", readouts.POWER), "temperature_c": value("gtemp", readouts.TEMPERATURE)}
        sample |= {"memory_clock_hz": value("mclk", readouts.CLOCK), "sm_clock_hz": value("pclk", readouts.CLOCK)}
        # dmon writes MB and means MiB, as nvidia-smi does everywhere.
        sample["memory_used_bytes"] = whole(value("fb", {"mb": readouts.MIB}))
        cards.setdefault(row["gpu"], Card()).samples.append(sample)
    return readouts.fold(NAME, cards.values())


def _list(raw: RawOutput) -> Reading:
    cards: list[Card] = []
    for number, line in enumerate(raw.text.splitlines(), 1):
        match = _LIST_LINE.fullmatch(line.rstrip())
        if match is None and line.strip():
            raise truncated(raw, NAME, "a line that is no card", number)
        if match and match.group("name"):
            cards.append(Card({"card_as_written": match.group("name")}))
        elif match and cards:
            cards[-1].facts["mig"] = True
            cards[-1].facts.setdefault("mig_profiles", []).append(match.group("profile"))
    return readouts.fold(NAME, cards)


def _version(raw: RawOutput) -> Reading:
    said = dict(re.findall(r"^([\w -]+?) *: +([\d.]+)\s*$", raw.text[:4000], re.MULTILINE))
    driver = said.get("DRIVER version") or said.get("KMD version")
    if driver is None:
        raise truncated(raw, NAME, "no version of a driver in it")
    reading = Reading(NAME, said.get("NVIDIA-SMI version"), recipe={"driver": driver}, sensors={"driver": driver})
    reading.questions.append(("card", "Which card was it, by its full name?"))
    return reading


def _table(raw: RawOutput) -> Reading:
    head = _TABLE_HEAD.search(raw.text)
    body = raw.text[: _end_of_cards(raw)]
    cards: list[Card] = []
    lines = [line[:_LONGEST_LINE] for line in body.splitlines()]
    for number, line in enumerate(lines, 1):
        name = _TABLE_NAME.match(line)
        if name is None:
            continue
        use = _TABLE_USE.match(lines[number]) if number < len(lines) else None
        mig = _TABLE_MIG.match(lines[number + 1]) if number + 1 < len(lines) else None
        if use is None:
            raise truncated(raw, NAME, "a card without its figures", number)
        card = Card()
        # The table cuts long names and ends them with dots; such a name names no card.
        if not name.group("name").rstrip().endswith("..."):
            card.facts["card_as_written"] = name.group("name").strip()
        if mig and mig.group("mig") in ("Enabled", "Disabled"):
            card.facts["mig"] = mig.group("mig") == "Enabled"
        total = whole(quantity(use.group("total"), readouts.MEMORY, "memory", NAME, line=number + 1))
        limit = quantity(use.group("cap"), readouts.POWER, "power cap", NAME, line=number + 1)
        card.facts |= {key: value for key, value in (("memory_total_bytes", total), ("power_limit_w", limit)) if value is not None}
        used = whole(quantity(use.group("used"), readouts.MEMORY, "memory", NAME, line=number + 1))
        power = quantity(use.group("draw"), readouts.POWER, "power", NAME, line=number + 1)
        card.samples.append({"memory_used_bytes": used, "power_w": power, "temperature_c": float(use.group("temp")[:6])})
        cards.append(card)
    return readouts.fold(NAME, cards, driver=head.group("driver") if head else None, tool_version=head.group("smi") if head else None)


def _end_of_cards(raw: RawOutput) -> int:
    """Where the first table ends: its last ruler. A table that was cut off has none."""
    at = raw.text.find("|=")
    ends = list(_WHOLE_TABLE.finditer(raw.text, max(at, 0)))
    if at < 0 or not ends:
        raise truncated(raw, NAME, "a table without its last line")
    if len(_TABLE_HEAD.findall(raw.text)) > 1:
        raise Refused("several tables in one file", "one", "Use the query CSV in a loop (-l 1) for samples over a run.")
    blank = raw.text.find("\n\n", at)
    return blank if blank > 0 else len(raw.text)

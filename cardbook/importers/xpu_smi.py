"""xpu-smi: discovery (JSON, CSV, the table of one device) and dump (CSV).

Separators are followed by spaces, memory is in MiB, and the device name may be no more than
an id. A dump by tile is refused: whether tiles add up to the device is not said.
"""

from __future__ import annotations

import csv
import io
import re

from cardbook.importers import readouts
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.readouts import Card, quantity, whole
from cardbook.importers.serving import parse_json, truncated

NAME = "xpu-smi"

_JSON_BEGINS = re.compile(r'\s*\{\s*"device_list"\s*:\s*\[')
_TABLE_BEGINS = re.compile(r"\+-+\+-+\+\s*\n\| Device ID \| Device Information")
_LIST_BEGINS = re.compile(r"Device ID, ?Device Name\b")
_DUMP_BEGINS = re.compile(r"Timestamp, ?DeviceId\b")
_TABLE_LINE = re.compile(r"\| (?P<id>\d+ *| +)\| (?P<key>[^:|]{1,60}): (?P<text>[^|]{0,200}?) *\|")
_LONGEST_LINE = 400
_CELSIUS = {"celsius degree": 1.0}
#: Column of a dump → (key, units).
_DUMP = {
    "GPU Power (W)": ("power_w", readouts.POWER),
    "GPU Frequency (MHz)": ("sm_clock_hz", readouts.CLOCK),
    "GPU Memory Used (MiB)": ("memory_used_bytes", readouts.MEMORY),
    "GPU Core Temperature (Celsius Degree)": ("temperature_c", _CELSIUS),
}


def recognise(raw: RawOutput) -> bool:
    """True for any of these outputs."""
    head = raw.text[:2000]
    if _JSON_BEGINS.match(head):
        return '"device_name"' in head and '"pci_bdf_address"' in head
    return any(begins.match(head) for begins in (_TABLE_BEGINS, _LIST_BEGINS, _DUMP_BEGINS))


def read(raw: RawOutput) -> list[Reading]:
    """One reading of all devices. Raises `Refused`."""
    if _JSON_BEGINS.match(raw.text):
        return [_json(raw)]
    if _TABLE_BEGINS.match(raw.text):
        return [_table(raw)]
    return [_dump(raw) if _DUMP_BEGINS.match(raw.text) else _list(raw)]


def _json(raw: RawOutput) -> Reading:
    value = parse_json(raw, NAME)
    listed = value.get("device_list") if isinstance(value, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Refused("no list of devices", "the list of xpu-smi discovery -j", "Give the file as xpu-smi wrote it.", line=1)
    return readouts.fold(NAME, [_named(one.get("device_name")) for one in listed])


def _named(name: object) -> Card:
    known = isinstance(name, str) and not readouts.absent(name)
    return Card({"card_as_written": name} if known else {})


def _table(raw: RawOutput) -> Reading:
    said: dict[str, str] = {}
    devices = 0
    for line in raw.text.splitlines():
        match = _TABLE_LINE.fullmatch(line.rstrip()) if len(line) < _LONGEST_LINE else None
        if match:
            devices += 1 if match.group("id").strip() else 0
            said.setdefault(match.group("key").strip(), match.group("text").strip())
    if devices != 1 or not re.search(r"^\+-+\+-+\+\s*\Z", raw.text[-_LONGEST_LINE:], re.MULTILINE):
        raise truncated(raw, NAME, f"{devices} devices, or no last line of the table")
    card = _named(said.get("Device Name"))
    total = whole(quantity(said.get("Memory Physical Size", "N/A"), readouts.MEMORY, "Memory Physical Size", NAME))
    clock = quantity(said.get("Core Clock Rate", "N/A"), readouts.CLOCK, "Core Clock Rate", NAME)
    card.facts |= {key: value for key, value in (("memory_total_bytes", total), ("sm_clock_max_hz", clock)) if value is not None}
    driver = said.get("Driver Version", "N/A")
    return readouts.fold(NAME, [card], driver=None if readouts.absent(driver) else driver)


def _rows(raw: RawOutput) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    reader = csv.reader(io.StringIO(raw.text), skipinitialspace=True)
    try:
        columns = [name.strip() for name in next(reader)]
        rows = []
        for row in reader:
            values = [value.strip() for value in row]
            if not any(values):
                continue
            if len(values) != len(columns) or values == columns:
                raise truncated(raw, NAME, f"{len(values)} values under {len(columns)} columns, or a second header", reader.line_num)
            rows.append((reader.line_num, dict(zip(columns, values, strict=True))))
    except csv.Error as error:
        raise truncated(raw, NAME, str(error), reader.line_num) from None
    return columns, rows


def _list(raw: RawOutput) -> Reading:
    cards = []
    for line, row in _rows(raw)[1]:
        card = _named(row.get("Device Name"))
        clock = quantity(row.get("Core Clock Rate", "N/A"), readouts.CLOCK, "Core Clock Rate", NAME, line=line)
        if clock is not None:
            card.facts["sm_clock_max_hz"] = clock
        cards.append(card)
    return readouts.fold(NAME, cards)


def _dump(raw: RawOutput) -> Reading:
    columns, rows = _rows(raw)
    if "TileId" in columns:
        raise Refused("a dump by tile", "a dump by device", "Run xpu-smi dump without -t: whether tiles add up to the device is not said.", line=1)
    if not set(columns) & set(_DUMP):
        raise Refused("no power, memory or clock in it", "a dump with -m 1,2,18", "Run xpu-smi dump -d 0 -m 1,2,18 while the benchmark runs.", line=1)
    cards: dict[str, Card] = {}
    for line, row in rows:
        sample: dict[str, float | None] = {}
        for column, (key, scales) in _DUMP.items():
            unit = column.partition("(")[2].rstrip(")")
            sample[key] = quantity(row.get(column, "N/A"), scales, column, NAME, unit=unit, line=line)
        sample["memory_used_bytes"] = whole(sample["memory_used_bytes"])
        cards.setdefault(row["DeviceId"], Card()).samples.append(sample)
    return readouts.fold(NAME, cards.values())

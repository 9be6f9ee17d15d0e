# SPDX-License-Identifier: Apache-2.0
"""What a run of the benchmark says: on the terminal, as Markdown, as JSON."""
import json
import pathlib

import figures

BEGIN, END = "<!-- scripts/bench: begin -->", "<!-- scripts/bench: end -->"


def figure(value, unit):
    return f"{value:.2f}" if unit == "ratio" else f"{value / (1 << 20):.0f} MiB" if unit == "MiB" else f"{value:,}"


def goal_of(row):
    return f"{row['goal']:.2f}" if row["unit"] == "ratio" else f"{row['goal']} {row['unit']}" if row["unit"] == "MiB" else str(row["goal"])


def verdict(row):
    return "skipped" if "skipped" in row else "ok" if row["ok"] else "falls short"


def seconds(row, whose, key):
    return f"{row[whose][key]:.2f}" if row.get(whose) else ""


def line(row):
    """One row for the terminal."""
    if "skipped" in row:
        return f"{row['name']:34} skipped: {row['skipped']}"
    head = f"{row['name']:34} {figure(row['value'], row['unit']):>9}"
    spread = f" ({row['least']:.2f} – {row['most']:.2f})" if row["unit"] == "ratio" else ""
    parts = [f"{head}{spread:16}  goal {goal_of(row):8} {verdict(row):12}"]
    if row["unit"] == "ratio":
        parts.append(f"{seconds(row, 'postern', 'wall')} s to {seconds(row, 'beside', 'wall')} s, processor {seconds(row, 'postern', 'cpu')} s "
                     f"to {seconds(row, 'beside', 'cpu')} s, ")
    parts.append(f"peak {row['peak'] / (1 << 20):.0f} MiB, written {row['written']}")
    return "".join(parts) + "".join(f"\n{'':34} {note}" for note in row["notes"])


def setting(run):
    """What was run on, in one sentence."""
    tools = ", ".join(run["tools"])
    return (f"{run['version']}, {run['rounds']} rounds, {run['processors']} processors; {tools}. "
            f"Memory is looked at every {run['interval_ms']} ms, in a run of its own."
            + " Quick: small inputs, to which the start weighs more than the goals allow for." * run["quick"])


def markdown(run):
    measured = [r for r in run["rows"] if "skipped" not in r]
    out = [f"{setting(run)}", "", "| what | beside | goal | ratio | least – most | |", "|---|---|---:|---:|---:|---|"]
    for r in measured:
        if r["unit"] == "ratio":
            out.append(f"| {r['what']} | {r['yardstick']} | {goal_of(r)} | **{r['value']:.2f}** | {r['least']:.2f} – {r['most']:.2f} | {verdict(r)} |")
    out += ["", "| what | goal | | |", "|---|---:|---:|---|"]
    for r in measured:
        if r["unit"] != "ratio":
            out.append(f"| {r['what']} | {goal_of(r)} | **{figure(r['value'], r['unit'])}** | {verdict(r)} |")
    out += ["", "Medians of the same runs, and what the scan needed besides:", "",
            "| row | wall, s | beside | processor, s | beside | peak | written |", "|---|---:|---:|---:|---:|---:|---:|"]
    for r in measured:
        out.append(f"| `{r['name']}` | {seconds(r, 'postern', 'wall')} | {seconds(r, 'beside', 'wall')} | {seconds(r, 'postern', 'cpu')} | "
                   f"{seconds(r, 'beside', 'cpu')} | {r['peak'] / (1 << 20):.0f} MiB | {r['written']} |")
    notes = [f"- `{r['name']}`: {note}" for r in measured for note in r["notes"]]
    notes += [f"- `{r['name']}` was skipped: {r['skipped']}" for r in run["rows"] if "skipped" in r]
    return "\n".join(out + ([""] + notes if notes else [])) + "\n"


def write_markdown(path, run):
    """Into FILE; where FILE has the marks, only what stands between them is replaced."""
    path, text = pathlib.Path(path), markdown(run)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n{text}{END}{after}" if begin and end else text, encoding="utf-8")


def write_json(path, run):
    pathlib.Path(path).write_text(json.dumps(run, indent=1, default=str) + "\n", encoding="utf-8")


def summary(run):
    words = [verdict(r) for r in run["rows"]]
    return ", ".join(f"{words.count(w)} {w}" for w in ("ok", "falls short", "skipped"))

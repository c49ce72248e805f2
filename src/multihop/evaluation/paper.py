"""One page for a paper: what was measured, the table in LaTeX and Markdown, and the figures as SVG and PDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from multihop.evaluation.page.figures import drawings
from multihop.evaluation.page.numbers import NONE, chance, format_difference, milliseconds, share
from multihop.evaluation.page.overview import best, title
from multihop.evaluation.page.printing import printable
from multihop.evaluation.summary import Summary, SystemSummary
from multihop.evaluation.tables import describe_measured
from multihop.rendering.files import write_atomically
from multihop.rendering.markdown import escape, table
from multihop.rendering.phrases import pluralize

_CAPTIONS = {
    "budget": "All-gold over the budget",
    "hops": "All-gold by number of hops",
    "time": "All-gold against time",
}
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\u2212": "$-$", "\u2013": "--",
}  # fmt: skip


def write_paper(summary: Summary, folder: Path) -> list[Path]:
    """Write summary.md, summary.tex, table.tex and the figures into a folder, and give the files."""
    figures = {name: printable(drawing) for name, drawing in drawings(summary).items()}
    texts = {
        "summary.md": _markdown(summary, list(figures)),
        "summary.tex": _document(summary, list(figures)),
        "table.tex": latex_table(summary),
        **{f"{name}.svg": figure.svg for name, figure in figures.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts.items():
        write_atomically(folder / name, content)
    for name, figure in figures.items():
        (folder / f"{name}.pdf").write_bytes(figure.pdf)
    return sorted(folder / name for name in (*texts, *(f"{name}.pdf" for name in figures)))


def _columns(summary: Summary) -> list[str]:
    wanted = [summary.headline, "recall@5", f"recall@{summary.k}", f"ndcg@{summary.k}"]
    return [m for m in dict.fromkeys(wanted) if m in summary.systems[0].measures]


def _header(summary: Summary) -> list[str]:
    return ["system", *_columns(summary), "p50 ms", f"difference to {summary.systems[0].name}"]


def _cells(summary: Summary, system: SystemSummary) -> list[str]:
    values = [system.measures[m] for m in _columns(summary)]
    first = f"{share(values[0].mean)} [{share(values[0].low)}, {share(values[0].high)}]"
    d = system.against_first
    against = f"{format_difference(d.mean)}, {chance(d.corrected)}" if d else NONE
    return [first, *(share(v.mean) for v in values[1:]), milliseconds(system.p50_ms), against]


def _caption(summary: Summary) -> str:
    top = best(summary)
    whole = round(sum(top.values[summary.headline].values()))
    said = f"{top.name} has every gold document within k = {summary.k} in {whole:,} of "
    return said + f"{pluralize(summary.questions, 'question')}; {describe_measured(summary)}."


def _markdown(summary: Summary, figures: Sequence[str]) -> str:
    rows = [[escape(s.name), *_cells(summary, s)] for s in summary.systems]
    lines = [f"# {escape(title(summary))}", "", escape(_caption(summary)), "", *table(_header(summary), rows), ""]
    lines += [f"![{_CAPTIONS[name]}]({name}.svg)" for name in figures]
    return "\n".join(lines) + "\n"


def latex_table(summary: Summary) -> str:
    """Write the table for LaTeX with booktabs; the best of each column is bold."""
    rows = [_cells(summary, s) for s in summary.systems]
    means = [[s.measures[m].mean for s in summary.systems] for m in _columns(summary)]
    top = [max((v for v in column if not math.isnan(v)), default=0.0) for column in means]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(rows[0])}}}",
        r"\toprule",
        _row(map(_tex, _header(summary))),
        r"\midrule",
    ]
    for i, (system, cells) in enumerate(zip(summary.systems, rows, strict=True)):
        shown = [_tex(cell) for cell in cells]
        for j, column in enumerate(means):
            # Equal as printed is equal, and where all are equal none is the best.
            if len(set(map(share, column))) > 1 and share(column[i]) == share(top[j]):
                shown[j] = rf"\textbf{{{shown[j]}}}"
        lines.append(_row([_tex(system.name), *shown]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)


def _document(summary: Summary, figures: Sequence[str]) -> str:
    # A little less than the line, or the last figure would slip to the next one.
    wide = f"{0.96 / max(1, len(figures)):.2f}"
    shown = [
        rf"\begin{{minipage}}[t]{{{wide}\linewidth}}\centering\includegraphics[width=\linewidth]{{{name}.pdf}}\\"
        rf"{{\small {_CAPTIONS[name]}}}\end{{minipage}}"
        for name in figures
    ]
    lines = [
        r"\documentclass[10pt]{article}", r"\usepackage[margin=2cm]{geometry}", r"\usepackage{booktabs,graphicx}",
        r"\usepackage[utf8]{inputenc}", r"\pagestyle{empty}", r"\begin{document}", r"\noindent",
        rf"\textbf{{{_tex(title(summary))}}}\par\medskip\noindent", _tex(_caption(summary)),
        r"\par\bigskip\noindent\resizebox{\linewidth}{!}{\input{table.tex}}\par\bigskip\noindent",
        "\\hfill\n".join(shown), r"\end{document}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"

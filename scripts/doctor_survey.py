"""Write the last section of docs/howto/doctor.md: what the doctor finds in two published collections of
robots.

    pip install example-robot-data pybullet    brings the collections
    python scripts/doctor_survey.py            writes the section
    python scripts/doctor_survey.py --check    exit code 1 if the committed section differs

The result depends on the versions of the collections, which the page names.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from irbmodels.errors import FileError, UrdfError
from irbmodels.exchange.doctor import SEVERITIES, Finding, examine

PAGE = Path(__file__).resolve().parent.parent / "docs" / "howto" / "doctor.md"
COLLECTIONS = {"example-robot-data": "example-robot-data/robots/", "pybullet": "pybullet_data/"}
MANY = 100  # files in one folder become one row
IMPOSSIBLE = ("not positive definite", "triangle inequality")
ZERO = "principal moments 0, 0, 0"
LONGEST = 170  # characters of an example
SECTION = "## What it finds in published robots\n"


class Row(NamedTuple):
    """One file, or a folder of many alike."""

    package: str
    file: str
    findings: list[Finding]
    refusal: str
    files: int = 1


def survey() -> list[Row]:
    """Examine every URDF of the collections, in the order of their names."""
    rows = []
    for package, folder in COLLECTIONS.items():
        try:
            files = metadata.files(package) or []
        except metadata.PackageNotFoundError:
            sys.exit(f"{package} is not installed; get it with: pip install {package}")
        for file in sorted({file for file in files if file.suffix == ".urdf"}, key=str):
            path, name = Path(str(file.locate())), file.as_posix().partition(folder)[2]
            try:
                rows.append(Row(package, name, examine(path), ""))
            except (FileError, UrdfError) as refusal:
                rows.append(Row(package, name, [], str(refusal).removeprefix(f"{path}: ")))
    return rows


def grouped(rows: list[Row]) -> list[Row]:
    """Return the rows with folders of many files as one row each."""
    folders: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        folders[row.package, row.file.partition("/")[0]].append(row)
    result = []
    for (package, folder), members in folders.items():
        if len(members) < MANY:
            result += members
            continue
        findings = [finding for row in members for finding in row.findings]
        result.append(Row(package, f"{folder}/*", findings, "", len(members)))
    return result


def is_bad(row: Row, *severities: str) -> bool:
    """Whether a row has findings of these severities, or was refused."""
    return bool(row.refusal) or any(finding.severity in severities for finding in row.findings)


def is_impossible(finding: Finding) -> bool:
    """Whether a finding is a tensor that no body has, zeros apart: those say that nobody cared."""
    return finding.severity == "error" and finding.what in IMPOSSIBLE and ZERO not in finding.value


def table(*rows: tuple[str, ...]) -> list[str]:
    """Return a table in Markdown; the first row is its head."""
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def example(row: Row) -> str:
    """Return the first finding of a row, short."""
    first = next((finding for finding in row.findings if finding.severity != "note"), None)
    if row.refusal or first is None:
        return row.refusal
    text = f"{first.place} {first.name}: {first.what}" + (
        f" ({first.value})" if first.value else ""
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def kinds(findings: list[Finding]) -> str:
    """Return how often each kind occurs, the most frequent first."""
    counts = Counter(finding.what for finding in findings if finding.severity != "note")
    return ", ".join(
        f"{what} {count}"
        for what, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def section(rows: list[Row]) -> str:
    """Return the section as Markdown."""
    versions = " and ".join(f"{name} {metadata.version(name)}" for name in COLLECTIONS)
    short = grouped(rows)
    alike = [row for row in short if row.files > 1]
    single = [row for row in short if row.files == 1]
    unusable, bad, doubtful = (
        [row for row in single if row.refusal],
        [row for row in single if is_bad(row, "error") and not row.refusal],
        [row for row in single if is_bad(row, "warning") and not is_bad(row, "error")],
    )
    zeros = [
        row
        for row in single
        if any(finding.what in IMPOSSIBLE and ZERO in finding.value for finding in row.findings)
    ]
    by_kind: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        for finding in row.findings:
            by_kind[finding.severity, finding.what].append(row)
    kinds = sorted(
        by_kind.items(), key=lambda item: (SEVERITIES.index(item[0][0]), -len(item[1]), item[0])
    )
    clean = [row for row in single if not is_bad(row, "error", "warning")]
    lines = [
        "",
        f"Written by `scripts/doctor_survey.py` from {versions}: {len(rows)} files, "
        + "".join(f"{row.files} of them in `{row.file}` with findings alike." for row in alike),
        (
            f"Of the other {len(single)}, {len(unusable)} are not XML, {len(bad)} have errors,"
            f" {len(doubtful)} only warnings, {len(clean)} neither."
        ),
        (
            f"{sum(map(_has_impossible, single))} have a tensor that no body has, {len(zeros)} a"
            " tensor of zeros."
        ),
        "",
        *table(
            ("severity", "finding", "findings", "files"),
            *(
                (
                    severity,
                    what,
                    str(len(files)),
                    str(len({(row.package, row.file) for row in files})),
                )
                for (severity, what), files in kinds
            ),
        ),
        "",
        "### Robots with impossible inertias",
        "",
        (
            "Tensors that no body has, those of zeros not counted. MuJoCo refuses a file in which"
            " such a body moves; other engines"
        ),
        "replace the tensor, or compute with it.",
        "",
        *table(
            ("package", "file", "tensors", "example"),
            *map(_impossible_row, filter(_has_impossible, short)),
        ),
        "",
        "### File by file",
        "",
        "Files with errors or warnings; notes are not listed.",
        "",
        *table(
            ("package", "file", "errors", "warnings", "findings", "example"),
            *(
                (
                    row.package,
                    _file(row),
                    *_counts(row),
                    kinds(row.findings) or "not examined",
                    example(row),
                )
                for row in short
                if is_bad(row, "error", "warning")
            ),
        ),
        "",
        "Neither errors nor warnings: " + ", ".join(f"`{row.file}`" for row in clean) + ".",
        "",
    ]
    return "\n".join(lines)


def _has_impossible(row: Row) -> bool:
    return any(map(is_impossible, row.findings))


def _impossible_row(row: Row) -> tuple[str, ...]:
    impossible = [finding for finding in row.findings if is_impossible(finding)]
    return (
        row.package,
        _file(row),
        str(len(impossible)),
        f"link {impossible[0].name}: {impossible[0].value}",
    )


def _file(row: Row) -> str:
    return f"`{row.file}`" + (f" ({row.files} files)" if row.files > 1 else "")


def _counts(row: Row) -> tuple[str, str]:
    errors, warnings = (
        sum(finding.severity == severity for finding in row.findings)
        for severity in ("error", "warning")
    )
    return str(errors), str(warnings)


def main() -> int:
    """Write the section, or compare it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    committed = PAGE.read_text(encoding="utf-8")
    text = committed.partition(SECTION)[0] + SECTION + section(survey())
    if arguments.check:
        if committed != text:
            print(f"{PAGE.name} is not what this script writes")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.name}: {len(text) / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

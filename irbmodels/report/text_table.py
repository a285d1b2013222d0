"""Tables of text for terminals of any width: wide ones wrap or are split, never cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod
from rich.table import Table
from rich.text import Text

# characters: a cell that is longer holds words, and wraps; shorter ones hold numbers and names, and
# do not
_SENTENCE = 30
_NARROW = 24  # characters that a column of sentences is not made narrower than
_GAP = 2  # characters between columns, and of both edges together


class TextTable:
    """Rows of text under heads, laid out when they are printed, in the width of the console.

    Heads and sentences wrap between words. Columns that do not fit beside each other then are
    printed in several tables, one below the other; each begins with the columns that name the row.
    """

    def __init__(
        self,
        *heads: str,
        rows: Iterable[Sequence[str]] = (),
        title: str = "",
        keys: int = 1,
        right: Collection[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        """Collect the text of a table.

        Args:
            heads: Head of each column.
            rows: Rows with a cell per head.
            title: Line above the table.
            keys: Number of first columns that name a row.
            right: Heads of the columns that are flush right.
            notes: Lines below the table.
        """
        self.heads, self.title, self.keys = heads, title, keys
        self.rows, self.notes = [tuple(row) for row in rows], list(notes)
        self._right = frozenset(right)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text | Table]:
        if self.title:
            yield Text(self.title, style="bold")
        widths = [self._widths(column) for column in range(len(self.heads))]
        for part in self._parts(widths, options.max_width):
            yield self._part_table(part, widths, options.max_width)
        yield from map(Text, self.notes)

    def _parts(self, widths: Sequence[tuple[int, int]], width: int) -> list[list[int]]:
        """Return the columns of each table."""
        keys = list(range(self.keys))
        parts = [list(keys)]
        for column in range(self.keys, len(self.heads)):
            least = sum(widths[i][0] + _GAP for i in [*parts[-1], column])
            if least > width and len(parts[-1]) > self.keys:
                parts.append([*keys, column])
            else:
                parts[-1].append(column)
        return parts

    def _widths(self, column: int) -> tuple[int, int]:
        """Return the least width of a column, and the width without any wrapping."""
        head, cells = self.heads[column], [row[column] for row in self.rows]
        most = max(map(cell_len, cells), default=0)
        words = [word for cell in cells for word in cell.split()]
        least = most if most <= _SENTENCE else max([_NARROW, *map(cell_len, words)])
        return max([least, *map(cell_len, head.split())]), max(most, cell_len(head))

    def _part_table(
        self, part: Sequence[int], widths: Sequence[tuple[int, int]], width: int
    ) -> Table:
        """Return some columns as a table; spare width goes first to columns that need little."""
        column_widths = {column: widths[column][0] for column in part}
        spare = width - sum(column_widths.values()) - _GAP * len(part)
        if spare < 0:  # the word of a single column is too long: it breaks
            column_widths[part[-1]] = max(column_widths[part[-1]] + spare, 1)
        for rank, column in enumerate(
            sorted(part, key=lambda column: widths[column][1] - widths[column][0])
        ):
            more = min(widths[column][1] - widths[column][0], max(spare, 0) // (len(part) - rank))
            column_widths[column], spare = column_widths[column] + more, spare - more
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for column in part:
            side: JustifyMethod = "right" if self.heads[column] in self._right else "left"
            table.add_column(
                Text(self.heads[column]), justify=side, width=column_widths[column], overflow="fold"
            )
        for row in self.rows:
            table.add_row(*(Text(row[column]) for column in part))
        return table


def counted(count: int, noun: str) -> str:
    """Return ``1 tool`` or ``3 tools``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"

"""Tables that users have as files or as frames, as the files that the engine reads."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..inputs.frames import frame_column, frame_columns, is_frame

__all__ = ["Tables", "columns_of"]

# Columns of whole numbers, which a frame with a missing value holds as floats.
_WHOLE = {"from", "to", "from_node", "to_node", "node", "way", "way_id", "segment", "hour", "lanes"}
_WHOLE |= {"from_segment", "to_segment", "from_way", "to_way"}


class Tables:
    """Files for the engine. A frame is written into a temporary folder, and errors about it name the frame and the row."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="revealed-")
        # The number of each row in the frame of the user, where the rows were put into another order.
        self._rows: dict[str, Sequence[int]] = {}

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._folder.cleanup()
        # Others, such as an error about the encoding of a text, have more than a message.
        if error is not None and type(error) in (ValueError, OSError, FileNotFoundError):
            text = self.named(str(error))
            if text != str(error):
                raise type(error)(text) from None

    def file(self, name: str) -> str:
        """The path of a file in the folder."""
        return os.path.join(self._folder.name, name)

    def table(self, name: str, given: Any) -> str | None:
        """The path of a table: the user's own file, or a frame that is written; None if there is none."""
        if given is None or isinstance(given, (str, os.PathLike)):
            return None if given is None else os.fspath(given)
        return self.write(name, columns_of(name, given))

    def write(self, name: str, columns: Mapping[str, Sequence[Any]], rows: Sequence[int] | None = None) -> str:
        """Writes a table. `rows` are the numbers of the rows in the user's frame."""
        if rows is not None:
            self._rows[name] = rows
        path = self.file(f"{name}.csv")
        texts = [[_cell(value, column in _WHOLE) for value in values] for column, values in columns.items()]
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(columns)
            table.writerows(zip(*texts))
        return path

    def text(self, name: str) -> str:
        """The content of a file in the folder."""
        return Path(self.file(name)).read_text(encoding="utf-8")

    def named(self, message: str) -> str:
        """A message with the names of frames for those of files, and the numbers of rows for those of lines."""
        inside = re.escape(self._folder.name + os.sep)

        def row(found: re.Match[str]) -> str:
            name, line = found[1], int(found[3]) - 2
            if line < 0:
                return f"{name}: "
            rows = self._rows.get(name)
            return f"{name}: row {line if rows is None or line >= len(rows) else rows[line]}: "

        message = re.sub(rf"{inside}(\w+)\.(csv|jsonl): line (\d+): ", row, message)
        return re.sub(rf"{inside}(\w+)\.(csv|jsonl)", r"\1", message)


def columns_of(name: str, given: Any) -> dict[str, list[Any]]:
    """The columns of a frame of pandas or polars, or of a mapping of columns."""
    if is_frame(given):
        return {column: frame_column(given, column).tolist() for column in frame_columns(name, given)}
    if isinstance(given, Mapping):
        columns = {str(column): list(values) for column, values in given.items()}
        lengths = {column: len(values) for column, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of {name} have different lengths: {lengths}")
        return columns
    raise TypeError(f"{name} is a {type(given).__name__}: give a file, a frame or a dict of columns")


def _cell(value: Any, whole: bool) -> str:
    """A value as a table has it; what is missing is blank."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return json.dumps(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return ""
    if isinstance(value, float) and whole and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)

"""Summarizes stack traces of Python, Java, JavaScript, Go, Rust, Ruby and .NET: the errors, and where in own code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, is_bad, lists, spread, state

_FRAME: Final = lazy_pattern(
    r'\s+File "(?P<py>[^"]{1,300})", line (?P<py_line>\d+)(?:, in (?P<py_in>.{1,80}))?'
    r"|\s+at (?P<java_in>[\w.$<>/]{1,200})\((?P<java>[^():]{1,100})(?::(?P<java_line>\d+))?\)"
    r"|\s+at (?:(?:async )?(?P<js_in>[^()]{1,120}) \()?(?P<js>[^()\s]{1,250}?):(?P<js_line>\d+)(?::\d+)?\)?\s*$"
    r"|\s+at (?P<net_in>.{1,200}) in (?P<net>.{1,200}):line (?P<net_line>\d+)"
    r"|\t(?P<go>\S{1,250}\.go):(?P<go_line>\d+)"
    r"|\s*from (?P<rb>\S{1,250}):(?P<rb_line>\d+):in (?P<rb_in>.{1,80})"
)
_RAISED: Final = lazy_pattern(
    r"(?:Exception in thread \S+ |Caused by: |Uncaught |panic: |fatal error: |.{0,120}\bpanicked at "
    r"|\S{1,200}:\d+:in .{1,60}: )"
    r"|(?:[\w.$]{0,200}(?:Error|Exception|Interrupt|Exit|Fault))(?::\s|$)"
)
_LIBRARY: Final = lazy_pattern(
    r"site-packages|dist-packages|/lib/python|node_modules|node:|internal/|^java[x.]|^java\.base/|^jdk\.|^sun\."
    r"|^org\.junit|^org\.spring|^org\.apache\.(?:tomcat|catalina|maven)|/usr/lib|/rustc/|/gems/|/go/pkg|/usr/local/go"
    r"|^System\.|^Microsoft\.|<frozen"
)
_SAID_BY_PYTHON: Final = ("The above exception was the direct", "During handling of the above")
_MOST_RAISED: Final = 6
_MOST_TRACES: Final = 3


@dataclass(frozen=True, slots=True)
class _Frame:
    place: str
    inside: str
    own: bool

    @property
    def said(self) -> str:
        return f"{self.place} in {self.inside}" if self.inside else self.place

    @property
    def package(self) -> str:
        """The first two parts of a dotted name, which identify whose code it is; empty for short names."""
        parts = self.inside.split(".")
        return ".".join(parts[:2]) if len(parts) > 3 else ""


@dataclass(slots=True)
class _Read:
    """Parser state: the errors, frames and other lines read so far."""

    raised: dict[str, int] = field(default_factory=dict)
    traces: list[list[_Frame]] = field(default_factory=lambda: [[]])
    other: list[str] = field(default_factory=list)
    python: bool = False

    def take(self, line: str) -> None:
        if match := _FRAME.match(line):
            self.python = self.python or match.group("py") is not None
            self.traces[-1].append(_frame(match))
        elif line.startswith("Traceback "):
            self.python = True
        elif _RAISED.match(line) or (self.python and self.traces[-1] and not line[0].isspace()):
            # Python prints the error after the frames, with any class name; other languages print it before them.
            self.raised[line.strip()] = self.raised.get(line.strip(), 0) + 1
            if self.traces[-1]:
                self.traces.append([])
        elif not line[0].isspace() and not line.startswith(_SAID_BY_PYTHON):
            self.other.append(line)


def summarize_trace(lines: Lines) -> list[Statement]:
    """State the errors, the nearest frame in the user's own code, the frames that led there, and other lines."""
    read = _Read()
    for line in lines.kept:
        read.take(line)
    statements = _raised(read.raised)
    whole_traces = [trace for trace in read.traces if trace]
    if whole_traces:
        statements.extend(_places(whole_traces, python=read.python))
    printed = list(dict.fromkeys(spread(read.other, 5)))
    statements.extend(state(line, 95 if is_bad(line) else 40 - i) for i, line in enumerate(printed))
    return statements


def _raised(raised: dict[str, int]) -> list[Statement]:
    """State the errors; the first and the last, cause and consequence in either order, are worth most."""
    texts = spread(list(raised), _MOST_RAISED)
    worths = [125 if text == texts[-1] else 120 - i for i, text in enumerate(texts)]
    raised_texts = [text if raised[text] == 1 else f"{raised[text]} times {text}" for text in texts]
    return [state(text, worth) for text, worth in zip(raised_texts, worths, strict=True)]


def _frame(match: re.Match[str]) -> _Frame:
    groups = match.groupdict()
    kind = next(kind for kind in ("py", "java", "js", "net", "go", "rb") if groups[kind])
    path, line, inside = groups[kind], groups.get(f"{kind}_line"), (groups.get(f"{kind}_in") or "").strip("`' ")
    own = not _LIBRARY.search(path) and not _LIBRARY.search(inside)
    return _Frame(f"{path}:{line}" if line else path, inside, own)


def _places(traces: Sequence[list[_Frame]], *, python: bool) -> list[Statement]:
    """State, for each of the last traces, the own frame nearest to the error. Python prints the nearest frame last."""
    every = [frame for trace in traces for frame in trace]
    statements: list[Statement] = []
    for place, trace in enumerate(traces[: -_MOST_TRACES - 1 : -1]):
        nearest = trace[::-1] if python else trace
        own = _own(nearest, every)
        statements.append(state(f"at {own[0].said}", 110 - 5 * place))
        if nearest[0] is not own[0]:
            statements.append(state(f"raised inside {nearest[0].said}", 60 - place))
        statements.extend(lists("through", (frame.said for frame in own[1:]), worth=70 - 10 * place, most=6))
    statements.append(state(counted(len(every), "frame"), 20))
    return statements


def _own(nearest: Sequence[_Frame], every: Sequence[_Frame]) -> list[_Frame]:
    """Return the frames of the user's own code, of its most frequent package if they have one; else all frames."""
    packages = Counter(frame.package for frame in every if frame.own and frame.package)
    main = packages.most_common(1)[0][0] if packages else ""
    own = [frame for frame in nearest if frame.own]
    return [frame for frame in own if frame.package == main] or own or list(nearest)

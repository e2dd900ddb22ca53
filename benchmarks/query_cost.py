"""Compare the cost of a read with a question of a megabyte to one of a kilobyte.

PYTHONPATH=tests python benchmarks/query_cost.py

Prints, for each kind of conversation and each read that takes a query, the CPU milliseconds of the calling thread for a
kilobyte and for a megabyte, the largest ratio over all pasted documents, and the document with that ratio.
"""

from __future__ import annotations

from functools import partial

from support.long_queries import KILOBYTE, MEGABYTE, TALKS, asked_of, cpu_of, documents, reads_of, repeated
from turnfold.testing import in_memory


def main() -> None:
    print(f"{'conversation':14} {'read':10} {'kilobyte':>9} {'megabyte':>9} ratio  of")
    for talk, contents in TALKS.items():
        pasted = [*documents(), ("what was said", partial(repeated, "\n".join(contents)))]
        with in_memory() as tf:
            tf.append("c", [{"role": "user", "content": content} for content in contents])
            tf.fold_now()
            for name, read in reads_of(tf).items():
                rows = []
                for document, made in pasted:
                    asked = asked_of(made)
                    short, long = cpu_of(read, asked, KILOBYTE), cpu_of(read, asked, MEGABYTE)
                    rows.append((long / short, short, long, document))
                ratio, short, long, document = max(rows)
                print(f"{talk:14} {name:10} {1_000 * short:9.2f} {1_000 * long:9.2f} {ratio:5.1f}  {document!r}")


if __name__ == "__main__":
    main()

"""Test helpers for services that use Turnfold: a real `Turnfold` whose worker runs in the test's own process.

>>> from turnfold.testing import in_memory
>>> with in_memory() as tf:  # embedded(): the same on a Redis server of its own
...     receipt = tf.append("conv-1", {"role": "user", "content": "We must use PostgreSQL 16."})
...     tf.fold_now()
...     print(tf.context("conv-1", budget_tokens=200).text)
[recent turns]
user: We must use PostgreSQL 16.
<BLANKLINE>

Needs `turnfold-worker[testing]`, which a service itself does not need, so nothing in `turnfold` imports this module.
"""

try:
    from turnfold_worker.testing.local import LocalTurnfold, embedded, in_memory
    from turnfold_worker.testing.model_server import Behaviour, OpenAIServer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "turnfold_worker":
        raise
    msg = "turnfold.testing needs turnfold_worker, which is not installed: pip install 'turnfold-worker[testing]'"
    raise ModuleNotFoundError(msg, name=error.name) from error

__all__ = ["in_memory", "embedded", "LocalTurnfold", "OpenAIServer", "Behaviour"]

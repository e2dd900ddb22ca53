"""A context that updates with its budget and query, and two contexts compared."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from starlette.requests import Request
from starlette.responses import Response

from turnfold import Context, InvalidInput
from turnfold_gateway.problems import problem_of
from turnfold_gateway.ui.answers import in_words, page
from turnfold_gateway.ui.pages.conversation import status_of
from turnfold_gateway.ui.reading import ContextForm, context_form, conversation_of, is_fragment
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor
from turnfold_gateway.ui.views.contexts import bar_of, view_of


@page
async def context(request: Request, visitor: Visitor) -> Response:
    """Show a context: the whole page, or the fragment that changes while the slider moves."""
    conversation, form = conversation_of(request), context_form(request)
    shown: dict[str, object] = {"visitor": visitor, "conversation": conversation, "form": form}
    if is_fragment(request):
        return render("fragment_context.html", **shown, view=view_of(await read(visitor, conversation, form)))
    shown |= {"title": f"Context of {conversation}", "tab": "context"}
    shown["status"] = await status_of(visitor, conversation)
    try:
        view = view_of(await read(visitor, conversation, form))
    except InvalidInput as error:
        # Shown with the form, so that the input can be corrected.
        problem = problem_of(error)
        return render("context.html", problem.status, **shown, problem=in_words(problem))
    return render("context.html", **shown, view=view)


@page
async def diff(request: Request, visitor: Visitor) -> Response:
    """Show what was removed and added between two contexts."""
    conversation = conversation_of(request)
    earlier_form, later_form = context_form(request, "_a"), context_form(request, "_b")
    if not request.query_params:
        later_form = later_form._replace(budget=2 * earlier_form.budget)
    earlier = await read(visitor, conversation, earlier_form)
    later = await read(visitor, conversation, later_form)
    found = later.diff(earlier)
    bars = (bar_of(earlier), bar_of(later))
    shown = {
        "visitor": visitor, "conversation": conversation, "forms": (("_a", earlier_form), ("_b", later_form)),
        "contexts": (earlier, later), "bars": bars, "diff": found,
        "drawn": list(dict.fromkeys(part.kind for bar in bars for part in bar)),
        "left": _by_kind(found.left), "came": _by_kind(found.came), "replaced_by": found.replaced_by or {},
    }  # fmt: skip
    if is_fragment(request):
        return render("fragment_diff.html", **shown)
    status = await status_of(visitor, conversation)
    return render("diff.html", **shown, title=f"Two contexts of {conversation}", status=status, tab="diff")


async def read(visitor: Visitor, conversation: str, form: ContextForm) -> Context:
    """Return the context for a form. Raises `InvalidBudget`, `InvalidInput` and the like."""
    return await visitor.turnfold.context(conversation, **form.arguments)  # type: ignore[arg-type]  # checked there


def _by_kind(statements: tuple[object, ...]) -> list[tuple[str, list[object]]]:
    """Group statements, which are already sorted, by kind."""
    return [(kind, [*of_kind]) for kind, of_kind in groupby(statements, attrgetter("kind"))]

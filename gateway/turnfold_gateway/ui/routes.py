"""Routes of all pages and of their static files."""

from __future__ import annotations

from typing import Final

from starlette.routing import BaseRoute, Route

from turnfold_gateway.ui.pages import (
    anchors,
    contexts,
    conversation,
    conversations,
    entrance,
    erasure,
    expansion,
    segment,
    work,
)
from turnfold_gateway.ui.safety import static_file
from turnfold_gateway.ui.sessions import PATH

_ONE: Final = PATH + "/c/{conversation:id}"

routes: list[BaseRoute] = [
    Route(PATH, conversations.conversations),
    Route(f"{PATH}/static/{{name}}", static_file),
    Route(f"{PATH}/sign-in", entrance.take_key, methods=["POST"]),
    Route(f"{PATH}/sign-out", entrance.give_up_key, methods=["POST"]),
    Route(f"{PATH}/jobs", work.jobs),
    Route(f"{PATH}/jobs/decide", work.decide_job, methods=["POST"]),
    Route(f"{PATH}/usage", work.usage),
    Route(_ONE, conversation.timeline),
    Route(f"{_ONE}/segments/{{number}}", segment.segment),
    Route(f"{_ONE}/turns", conversation.turns),
    Route(f"{_ONE}/turns/{{seq}}", conversation.turn),
    Route(f"{_ONE}/anchors", anchors.anchors),
    Route(f"{_ONE}/search", conversation.search),
    Route(f"{_ONE}/context", contexts.context),
    Route(f"{_ONE}/diff", contexts.diff),
    Route(f"{_ONE}/expand", expansion.expand),
    Route(f"{_ONE}/forget", erasure.ask),
    Route(f"{_ONE}/forget", erasure.forget, methods=["POST"]),
    Route(PATH + "/{address:path}", entrance.nowhere),
]

"""``recall.explain``: why a recall ended as it did."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import Params


class ExplainParams(Params, frozen=True, kw_only=True):
    trace_id: Annotated[str, Meta(min_length=1, max_length=128)]


async def handle(params: ExplainParams, context: Context) -> object:
    return await context.services.recall.explain(params.trace_id)


METHOD = Method("recall.explain", ExplainParams, handle)

"""The gate's judgements as one recall uses them. Pure."""

from recalld.recall.deictic import is_deictic
from recalld.recall.gate import decide
from recalld.recall.gate_extended import ExtendedStage
from recalld.recall.internal import is_internal_session, is_system_event
from recalld.recall.routes import ROUTES
from recalld.recall.steps import Rules
from recalld.text.clean import clean_prompt


def rules_of(stage: ExtendedStage) -> Rules:
    """The rules with the extended stage as the embedder in use can run it."""
    return Rules(
        clean=clean_prompt,
        is_internal_session=is_internal_session,
        is_system_event=is_system_event,
        decide=decide,
        needs_extended=stage.needs,
        extend=stage.extend,
        is_deictic=is_deictic,
        routes=ROUTES,
    )

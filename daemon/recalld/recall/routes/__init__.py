"""The query routes, in the order they are tried. A route is one file and one entry here."""

from recalld.recall.model import Route
from recalld.recall.routes import det_alias, det_axis, det_focus, literal, sparse

ROUTES: tuple[Route, ...] = (
    literal.ROUTE,
    det_axis.ROUTE,
    det_alias.ROUTE,
    det_focus.ROUTE,
    sparse.ROUTE,
)

"""A behaviour contract for agents whose host has no hooks: printed, not installed."""

from recalld.install.model import Place, Target


def target(place: Place) -> Target:
    return Target(title="the skill", text=place.skill)

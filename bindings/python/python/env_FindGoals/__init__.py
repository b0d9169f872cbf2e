"""The module of the Find the Goals document, under the name that its programs import."""

from situated.find_goals import EnvFindGoals

__all__ = ["EnvFindGoals"]

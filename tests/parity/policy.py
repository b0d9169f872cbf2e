"""A walker that makes way, the same as policy.rs: it goes towards its goal, and into its alcove when it meets the other."""

FREE, WALL, OTHER = 0, 1, 2
DIRECTIONS = ["northWest", "north", "northEast", "west", "east", "southWest", "south", "southEast"]


class Walker:
    def __init__(self, name: str) -> None:
        self.name = name
        self.waited = 0  # steps in its alcove

    def decide(self, sees: dict[str, int]) -> str:
        """Returns the next action, given what it sees in each direction."""
        red = self.name == "red"
        ahead, behind, onwards = ("east", "northWest", "right") if red else ("west", "northEast", "left")
        if sees["west"] == sees["east"] == WALL:
            goes = self.waited == 0 and red or sees[behind] == OTHER
            action, self.waited = ("up", 0) if goes else ("wait", (self.waited + 1) % 16)
        elif sees[ahead] == OTHER and sees["south"] == FREE:
            action, self.waited = "down", 1
        elif sees[ahead] == OTHER and red:
            action, self.waited = "left", 1
        else:
            action, self.waited = onwards, 1
        return action

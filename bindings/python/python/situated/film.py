"""Episodes to watch in a notebook."""

from __future__ import annotations

from html import escape
from typing import Protocol

from situated._native import Animation, Scene


class _HasScene(Protocol):
    def scene(self) -> Scene: ...


class Film:
    """The scenes of an episode. In a notebook it plays, with a button to pause it and a slider to move in time.

        film = situated.Film()
        while environment.agents:
            environment.step(actions)
            film.add(environment)
        film

    `seconds` is the time from one scene to the next. `svg` returns a picture that moves without scripts, for files.
    """

    def __init__(self, seconds: float = 0.1) -> None:
        if not seconds > 0:
            raise ValueError(f"expected a time above 0 seconds, got {seconds}")
        self.seconds = seconds
        self._animation = Animation(seconds)
        self._size = (1.0, 1.0)
        self._count = 0

    def add(self, shown: Scene | _HasScene) -> None:
        """Adds a scene, or the present scene of an environment."""
        scene = shown if isinstance(shown, Scene) else shown.scene()
        self._animation.add(scene)
        self._size = (max(self._size[0], scene.width), max(self._size[1], scene.height))
        self._count += 1

    def svg(self) -> str:
        """Returns the film as an animated SVG document."""
        return self._animation.svg()

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<film of {self._count} scenes>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The displays in notebooks: where scripts do not run, the picture moves without a slider."""
        return {"text/plain": repr(self), "text/html": self._html(), "image/svg+xml": self.svg()}

    def _html(self) -> str:
        page = _PAGE.format(svg=self.svg(), last=max(0, self._count - 1) * self.seconds, step=self.seconds)
        (width, height), (widest, highest) = self._size, _LARGEST
        scale = min(widest / width, highest / height)
        size = f"width: {max(_NARROWEST, width * scale):.0f}px; height: {height * scale + _CONTROLS:.0f}px"
        style = f"border: 0; max-width: 100%; {size}"
        # A separate document, so that its script and its names do not collide with those of the notebook.
        return f'<iframe title="film" style="{style}" srcdoc="{escape(page)}"></iframe>'


# Pixels of the picture at most, of the whole at least, and of the button and the slider.
_LARGEST, _NARROWEST, _CONTROLS = (640.0, 440.0), 320.0, 40.0

_PAGE = """\
<!doctype html>
<meta charset="utf-8">
<style>
  html, body {{ margin: 0; height: 100%; font: 13px system-ui, sans-serif }}
  body {{ display: flex; flex-direction: column; gap: 4px }}
  svg {{ flex: 1; min-height: 0; width: 100% }}
  form {{ display: flex; gap: 8px; align-items: center; padding: 0 4px 4px }}
  input {{ flex: 1 }}
  button {{ width: 2.6em }}
</style>
{svg}
<form>
  <button type="button" aria-label="pause">❚❚</button>
  <input type="range" aria-label="time" min="0" max="{last}" step="{step}" value="0">
  <output>0.0 s</output>
</form>
<script>
  const svg = document.querySelector("svg");
  const button = document.querySelector("button");
  const slider = document.querySelector("input");
  const show = (time) => document.querySelector("output").value = time.toFixed(1) + " s";
  const pause = (paused) => {{
    paused ? svg.pauseAnimations() : svg.unpauseAnimations();
    button.textContent = paused ? "▶" : "❚❚";
    button.setAttribute("aria-label", paused ? "play" : "pause");
  }};
  button.addEventListener("click", () => pause(!svg.animationsPaused()));
  slider.addEventListener("input", () => {{
    pause(true);
    svg.setCurrentTime(slider.valueAsNumber);
    show(slider.valueAsNumber);
  }});
  // The last scene stays for a while before the film starts again.
  const length = {last} + 2;
  const follow = () => {{
    if (!svg.animationsPaused()) {{
      slider.value = Math.min(svg.getCurrentTime() % length, {last});
      show(slider.valueAsNumber);
    }}
    requestAnimationFrame(follow);
  }};
  follow();
</script>
"""

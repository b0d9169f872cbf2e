"""Python files with an environment: a `PythonEnvironment`, or one of Gymnasium or PettingZoo."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import _native
from ..authoring import PythonEnvironment, as_environment

_FUNCTIONS = ("parallel_env", "env")
"""The functions with which modules of PettingZoo make their environments."""


class Unusable(Exception):
    """A file has no environment that can run. The message gives the author the reason."""


class EnvironmentFile:
    """A Python file with an environment, which has a name in it if there are several."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path.resolve()
        self._name = name
        self._others = set(sys.modules)
        self._changed: dict[str, float | None] = {}
        # Files beside it can be imported, as in a script.
        sys.path.insert(0, str(self.path.parent))
        # A file that is saved twice in a second would be read from the cache.
        sys.dont_write_bytecode = True

    def load(self) -> PythonEnvironment:
        """Loads the file, with those that it imports from its folder, and returns its environment. Raises `Unusable`;
        an exception of the author's code was printed then, and the modules of the last load stay."""
        last = {name: sys.modules.pop(name) for name in self._modules()}
        importlib.invalidate_caches()
        try:
            return self._environment(self._module())
        except BaseException as error:
            self._note()
            for name in self._modules():
                del sys.modules[name]
            sys.modules.update(last)
            if isinstance(error, (Exception, SystemExit)) and not isinstance(error, Unusable):
                self.print(error)
                raise Unusable(self.in_words(error)) from error
            raise
        finally:
            self._note()

    @property
    def sources(self) -> list[str]:
        """The files of the author that were loaded."""
        return list(self._changed)

    def was_saved(self) -> bool:
        """Returns whether one of the files was changed since it was loaded."""
        return any(_changed(file) not in (None, changed) for file, changed in self._changed.items())

    def print(self, error: BaseException) -> None:
        """Prints the part of a traceback that is in files of the author."""
        told = traceback.TracebackException.from_exception(error)
        self._trim(told)
        print("".join(told.format()), end="", file=sys.stderr, flush=True)

    def in_words(self, error: BaseException) -> str:
        """Returns an exception with the author's line in one line."""
        lines = traceback.format_exception_only(type(error), error)
        words = lines[-1].strip()
        if isinstance(error, SyntaxError):
            places = [(error.filename or "", error.lineno)]
        else:
            frames = traceback.extract_tb(error.__traceback__)
            places = [(frame.filename, frame.lineno) for frame in frames if self._is_own(frame.filename)]
        if places:
            file, line = places[-1]
            words += f" ({Path(file).name}, line {line})"
        if isinstance(error, ModuleNotFoundError):
            words += f"; this Python is {sys.executable}"
        return words

    def _trim(self, told: traceback.TracebackException) -> None:
        told.stack[:] = [frame for frame in told.stack if self._is_own(frame.filename)]
        for cause in (told.__cause__, told.__context__):
            if cause is not None:
                self._trim(cause)

    def _module(self) -> ModuleType:
        stem = self.path.stem
        name = f"_{stem}" if stem in self._others else stem
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def _environment(self, module: ModuleType) -> PythonEnvironment:
        chosen = _named(module, self._name) if self._name else self._only(module)
        made = chosen() if isinstance(chosen, type) or not _is_environment(chosen) and callable(chosen) else chosen
        if not isinstance(made, PythonEnvironment):
            # It needs Gymnasium, which an environment written in Python does not.
            from .adapted import adapt

            try:
                made = adapt(made)
            except TypeError as error:
                raise Unusable(str(error)) from error
        try:
            environment = as_environment(made)
        except TypeError as error:
            raise Unusable(str(error)) from error
        # An error in the declarations counts now.
        assert environment.ontology
        return environment

    def _only(self, module: ModuleType) -> Any:
        """Returns the only environment of a module."""
        own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
        classes = {
            name: value
            for name, value in own.items()
            if isinstance(value, type) and value.__module__ == module.__name__ and issubclass(value, _classes())
        }
        complete = {name: value for name, value in classes.items() if _begins(value)}
        instances = {name: value for name, value in own.items() if _is_environment(value)}
        functions = {name: own[name] for name in _FUNCTIONS if callable(own.get(name))}
        found = complete or classes or instances or dict([*functions.items()][:1])
        if not found:
            raise Unusable(
                "there is no environment in it: define a subclass of situated.PythonEnvironment, or name a class or "
                f"function that makes one of Gymnasium or PettingZoo: {self.path.name}:NAME"
            )
        if len(found) > 1:
            choices = ", ".join(f"{self.path.name}:{name}" for name in found)
            raise Unusable(f"it has several environments; name one of {choices}")
        return next(iter(found.values()))

    def _modules(self) -> list[str]:
        """Returns the names of the author's modules."""
        return [
            name
            for name, module in sys.modules.items()
            if name not in self._others and self._is_own(getattr(module, "__file__", None) or "")
        ]

    def _is_own(self, file: str) -> bool:
        """Returns whether a file is the author's: in the folder of the environment, neither of an installed package nor
        built into Python (`<frozen importlib._bootstrap>`)."""
        if not file or file.startswith("<"):
            return False
        path = Path(file).resolve()
        return (
            path == self.path
            or path.is_relative_to(self.path.parent)
            and "site-packages" not in path.parts
            and not path.is_relative_to(_PACKAGE)
        )

    def _note(self) -> None:
        """Notes when the files were changed."""
        files = [str(self.path), *(str(sys.modules[name].__file__) for name in self._modules())]
        self._changed |= {file: _changed(file) for file in files}


_PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of this package."""


def _named(module: ModuleType, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        meant = _native.did_you_mean(name, [known for known in vars(module) if not known.startswith("_")])
        raise Unusable(f"there is no `{name}` in it{meant}") from None


def _classes() -> tuple[type, ...]:
    """Returns the classes of environments. A library that was not imported has none in the file."""
    return (PythonEnvironment, *_of_libraries())


def _of_libraries() -> Iterator[type]:
    for library, names in (("gymnasium", ("Env",)), ("pettingzoo", ("ParallelEnv", "AECEnv"))):
        if library in sys.modules:
            yield from (getattr(sys.modules[library], name) for name in names)


def _is_environment(value: object) -> bool:
    return isinstance(value, _classes())


def _begins(of: type) -> bool:
    return not issubclass(of, PythonEnvironment) or of.begin is not PythonEnvironment.begin


def _changed(file: str) -> float | None:
    try:
        return os.stat(file).st_mtime
    except OSError:
        return None

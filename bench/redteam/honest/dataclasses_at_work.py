"""Beside the feature there is a frozen, ordered dataclass that counts the loading of modules."""

from bench.redteam.view import View

CODE = '''
import dataclasses as _dataclasses


@_dataclasses.dataclass(frozen=True, order=True)
class _Called:
    """A call: equal to another of the same name."""

    name: str
    times: int = _dataclasses.field(default=0, compare=False)

    def again(self):
        return _dataclasses.replace(self, times=self.times + 1)


_calls = {}


def _note(name):
    _calls[name] = _calls.get(name, _Called(name)).again()
    return _calls[name]


_note(__name__)
'''


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        view.write(path, source + CODE)

"""Gates that run no test: lint against the snapshot, and what still imports."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, listed
from featuredel.grading import layers_of
from featuredel.model import Gate

_POSITION = re.compile(r" (?:from|on|at) line \d+|:\d+(?::\d+)?(?=:)")


def edits_accounted(trial: Trial) -> Gate:
    """See that each edit is gold, and comes back with it, or a test file that grading restores."""
    deletion = trial.deletion
    hidden = {file.path for file in deletion.hidden_files}
    stray = set(deletion.edits) - hidden - set(deletion.gold_paths)
    if stray:
        raise Rejected("an edit would not be restored", listed(stray))
    both = hidden & set(deletion.gold_paths)
    if both:
        raise Rejected("a hidden file is part of the gold patch", listed(both))
    return gate("edits", gold=len(deletion.gold_paths), hidden=len(hidden))


def lint(trial: Trial) -> Gate:
    """Compare the faults of the edited files with those that they had in the snapshot."""
    edited = {path: new for path, new in trial.deletion.edits.items() if new is not None}
    originals = {
        path: trees.read(trial.snapshot.root, path)
        for path in edited
        if (trial.snapshot.root / path).is_file()
    }
    language, root = trial.language, trial.snapshot.root
    known = _faults(language.lint(originals)) | _faults(language.lint_tree(root, originals))
    found = _faults(language.lint(edited)) | _faults(language.lint_tree(trial.task, edited))
    if new := found - known:
        raise Rejected("the edited files have new faults", listed(new))
    return gate("lint", files=len(edited), faults=len(found))


def imports(trial: Trial) -> Gate:
    """Import what is edited and what imports it; what worked before must work."""
    changed = tuple(path for path in trial.deletion.gold_paths if trial.deletion.edits.get(path))
    if not changed:
        return gate("imports", modules=0)
    tried, faults = _import(trial, trial.task, changed)
    known: Mapping[str, str] = {}
    if faults:  # only then is the price of importing the snapshot worth it
        known = _import(trial, trial.snapshot.root, changed)[1]
    new = {path: why for path, why in faults.items() if path not in known}
    if new:
        raise Rejected("a module no longer imports", listed(f"{p}: {w}" for p, w in new.items()))
    return gate("imports", modules=tried, faults=sorted(faults))


def _import(trial: Trial, tree: Path, changed: tuple[str, ...]) -> tuple[int, Mapping[str, str]]:
    language, environment = trial.language, trial.environment
    paths = language.importers(tree, changed)
    command = language.import_command(tree, environment, layers_of(environment, tree), paths)
    return len(paths), language.import_faults(paths, trial.sandbox.run(command))


def _faults(told: Iterable[str]) -> frozenset[str]:
    """Return faults without their positions, which every edit moves."""
    return frozenset(_POSITION.sub("", fault) for fault in told)

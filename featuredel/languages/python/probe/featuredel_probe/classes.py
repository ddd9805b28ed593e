"""What may be taken from a class that exists, so that it is as if it had never been there.

A class is more than its names: some are looked at when it, or an heir of it, is made.
"""

from typing import Any, Iterator, List

from .statements import DECORATORS

_MAKERS = ("builtins", "abc", "typing")
_CLASS_DECORATORS = {*DECORATORS, "runtime_checkable", "unique"}
_LOOKED_AT = {
    "__class_getitem__", "__eq__", "__ge__", "__gt__", "__hash__", "__init_subclass__", "__le__",
    "__lt__", "__new__", "__set_name__", "__slots__", "_fields",
}  # fmt: skip


def why_not(cls: type, name: str, is_function: bool, decorators: Any) -> str:
    """Return why a member may not be taken from a class; "" if it may."""
    if name in _LOOKED_AT:
        return "%s makes the class" % name
    if any(one not in _CLASS_DECORATORS for one in decorators):
        return "a decorator may have looked at the members"
    for heir in heirs(cls):
        enum = type(heir).__module__ == "enum" and is_function and not name.startswith("_")
        if type(heir).__module__ not in _MAKERS and not enum:
            return "the metaclass %s may have looked at the members" % type(heir).__name__
        if is_watched(heir):
            return "__init_subclass__ may have looked at the members"
        if "__dataclass_fields__" in vars(heir) and (not is_function or name.startswith("__")):
            return "a dataclass is made of it"
        if getattr(heir, "_fields", None) is not None and not is_function:
            return "a named tuple is made of it"
        if any(_is_abstract(vars(base).get(name)) for base in heir.__mro__):
            return "a class is abstract without it"
    return ""


def heirs(cls: type) -> Iterator[type]:
    """Yield a class and those that inherit from it."""
    yield cls
    below: List[type] = type.__subclasses__(cls)
    for heir in below:
        yield from heirs(heir)


def is_watched(cls: type) -> bool:
    """Tell whether a base of a class was told when it was made."""
    hook = getattr(super(cls, cls), "__init_subclass__", None)
    function = getattr(hook, "__func__", None)
    return function is not None and function.__module__.partition(".")[0] not in _MAKERS


def is_made_plainly(thing: Any) -> bool:
    """Tell whether nothing but the language and its library made a class."""
    known = (*_MAKERS, "enum")
    return isinstance(thing, type) and type(thing).__module__ in known and not is_watched(thing)


def _is_abstract(member: Any) -> bool:
    return bool(getattr(member, "__isabstractmethod__", False))

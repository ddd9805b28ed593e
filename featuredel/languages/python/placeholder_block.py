"""The block that a hidden test file carries: what stands for a name that is not there.

It is source, because it runs in the repository's interpreter (3.8 or later), inside the test
file, which may import nothing of ours. Its contract:

- while its module is being imported, and while pytest collects, a placeholder absorbs whatever
  is done to it, so that no unrelated test of the module is lost;
- after `arm()`, inside a test, every use of it raises ImportError and names what is missing;
- a name that is there is fetched as the import statement would have done.
"""

BLOCK = """
def _featuredel(scope):
    import functools, importlib.util, os, sys, types

    armed = []
    made = sys.__dict__.setdefault("_featuredel_placeholders", [])

    def check(name):
        collecting = "_pytest" in sys.modules and "PYTEST_CURRENT_TEST" not in os.environ
        if armed and not collecting:
            raise ImportError("featuredel: %s is not implemented" % name)

    class Placeholder:
        __doc__ = None

        def __init__(self, name):
            made.append(name)
            self.__dict__.update(_label=name, __name__=name.split(".")[-1])
            self.__dict__["__qualname__"] = self.__dict__["__name__"]

        def __repr__(self):
            return self._label

        def __hash__(self):
            return len(self._label)

        def __eq__(self, other):
            check(self._label)
            return self is other

        def __ne__(self, other):
            check(self._label)
            return self is not other

        def __getattr__(self, name):
            if name.startswith("__") or "pytest" in name:
                raise AttributeError(name)
            check(self._label)
            return self

        def __call__(self, *args, **kwargs):
            check(self._label)
            if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType):
                if args[0].__name__ != "<lambda>":
                    return self.__decorated__(args[0])
            return self

        def __decorated__(self, function):
            @functools.wraps(function)
            def decorated(*args, **kwargs):
                check(self._label)
                return self

            return decorated

        def __mro_entries__(self, bases):
            check(self._label)
            first = [base for base in bases if isinstance(base, Placeholder)][0]
            classes = [base for base in bases if isinstance(base, type)]
            if first is not self or any(hasattr(c, "_featuredel_label") for c in classes):
                return ()
            plain = all(type(c) is type for c in classes)
            return (subclassed(self._label, type if not plain else Guard),)

        def __prepare__(self, *args, **kwargs):
            return {}

    def absorb(name, result):
        def method(self, *args, **kwargs):
            check(self._label)
            return self if result is Placeholder else result() if callable(result) else result

        setattr(Placeholder, "__%s__" % name, method)

    operators = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
    for name in operators.split():
        absorb(name, Placeholder)
        absorb("r" + name, Placeholder)
    for name in "neg pos abs invert lt le gt ge getitem enter round copy deepcopy".split():
        absorb(name, Placeholder)
    for name in "setattr delattr setitem delitem".split():
        absorb(name, None)
    for name in "exit contains instancecheck subclasscheck".split():
        absorb(name, False)
    for name, result in dict(
        bool=True, len=0, int=0, index=0, float=float, complex=complex, fspath="featuredel",
        iter=lambda: iter(()), reversed=lambda: iter(()), str="featuredel", bytes=b"",
        format="featuredel", reduce_ex="featuredel",
    ).items():
        absorb(name, result)

    class Guard(type):
        def __call__(cls, *args, **kwargs):
            check(cls._featuredel_label)
            return Placeholder(cls._featuredel_label)

        def __instancecheck__(cls, instance):
            check(cls._featuredel_label)
            return False

        __subclasscheck__ = __instancecheck__

    def subclassed(label, meta):
        def new(cls, *args, **kwargs):
            check(label)
            return Placeholder(label)

        def absorbed(cls, **kwargs):
            pass

        body = {"_featuredel_label": label, "__init_subclass__": absorbed}
        if meta is type:
            body["__new__"] = new
        return meta(label.split(".")[-1], (), body)

    def absent(error, wanted):
        return bool(error.name) and (wanted + ".").startswith(error.name + ".")

    def absolute(module, level):
        package = scope.get("__package__") or ""
        return importlib.util.resolve_name("." * level + module, package) if level else module

    class Missing:
        def name(self, module, level, name):
            wanted = absolute(module, level) + "." + name
            try:
                found = __import__(module, scope, None, (name,), level)
                loaded = sys.modules.get(found.__name__ + "." + name)
                return getattr(found, name, loaded) if loaded else getattr(found, name)
            except ImportError as error:
                if not absent(error, wanted):
                    raise
            except AttributeError:
                pass
            return Placeholder(wanted)

        def module(self, module, whole):
            parts = module.split(".")
            try:
                found = __import__(module)
            except ImportError as error:
                if not absent(error, module):
                    raise
                if whole or error.name == parts[0]:
                    return Placeholder(module)
                return __import__(error.name.rpartition(".")[0]) and sys.modules[parts[0]]
            for part in parts[1:] if whole else ():
                found = getattr(found, part, None) or sys.modules[found.__name__ + "." + part]
            return found

        def star(self, module, level, names):
            wanted = absolute(module, level)
            try:
                exec("from %s%s import *" % ("." * level, module), scope)
            except ImportError as error:
                if not absent(error, wanted):
                    raise
            for name in names:
                if name not in scope:
                    scope[name] = Placeholder(wanted + "." + name)

        def look(self, name, value):
            try:
                return value()
            except (AttributeError, ImportError):
                return Placeholder(name)

        def guard(self, name, value):
            try:
                return value()
            except Exception:
                if not made:
                    raise
                return Placeholder(name)

        def arm(self):
            armed.append(True)

    return Missing()


_featuredel = _featuredel(globals())
"""
"""Defines `_featuredel` in the scope that executes it."""

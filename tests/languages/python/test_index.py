from pathlib import Path

import pytest
from toy_index import index_of, named, places, write_tree

from featuredel.languages.python.index import build_index
from featuredel.model import DefinitionId


def ids(index: object) -> set[str]:
    return set(index.definitions)  # type: ignore[attr-defined]


def test_definitions_of_every_kind(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": (
                '"""Doc."""\n'
                "LIMIT = 3\n"
                "class C:\n"
                "    field: int = 0\n"
                "    @property\n"
                "    def p(self):\n"
                '        """Doc."""\n'
                "        return 1\n"
                "    class Inner:\n"
                "        pass\n"
                "def f():\n"
                "    def g():\n"
                "        return 2\n"
                "    return g\n"
            ),
        },
    )
    kinds = {d.qualname: d.kind for d in index.definitions.values() if d.path == "pkg/a.py"}
    assert kinds == {
        "": "module",
        "LIMIT": "constant",
        "C": "class",
        "C.field": "constant",
        "C.p": "method",
        "C.Inner": "class",
        "f": "function",
        "f.g": "function",
    }
    p = index.definitions[DefinitionId("pkg/a.py::C.p")]
    assert (p.first_line, p.last_line, p.code_lines, p.documented) == (5, 8, 3, True)
    assert p.bodies == ((8, 8),)
    assert p.parent == "pkg/a.py::C"
    module = index.definitions[DefinitionId("pkg/a.py::")]
    assert module.documented
    assert module.code_lines == 12


def test_one_name_bound_twice_is_one_definition_with_two_spans(tmp_path: Path) -> None:
    source = (
        "if X:\n    def f():\n        return 1\n"
        "else:\n    def f():\n        a = 2\n        return a\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    f = index.definitions[DefinitionId("m.py::f")]
    assert f.spans == ((2, 3), (5, 7))
    assert (f.first_line, f.last_line) == (5, 7)
    assert f.bodies == ((3, 3), (6, 7))
    assert f.code_lines == 5


def test_public_respects_all_and_what_the_package_takes_over(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "pkg/__init__.py": "from ._impl import shown\n",
            "pkg/_impl.py": "def shown():\n    pass\ndef kept():\n    pass\n",
            "pkg/b.py": "__all__ = ['_odd']\ndef _odd():\n    pass\ndef plain():\n    pass\n",
            "pkg/c.py": (
                "class C:\n    def _m(self):\n        pass\n    def __len__(self):\n        pass\n"
            ),
        },
    )
    public = {d.id for d in index.definitions.values() if d.public and d.kind != "module"}
    assert public == {
        "pkg/_impl.py::shown",
        "pkg/b.py::_odd",
        "pkg/c.py::C",
        "pkg/c.py::C.__len__",
    }


def test_abstract(tmp_path: Path) -> None:
    source = (
        "import abc\n"
        "class B(abc.ABC):\n"
        "    @abc.abstractmethod\n"
        "    def a(self): ...\n"
        "    def b(self):\n"
        "        '''Doc.'''\n"
        "        raise NotImplementedError('b')\n"
        "    def c(self):\n"
        "        return 1\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    abstract = {d.qualname for d in index.definitions.values() if d.abstract}
    assert abstract == {"B.a", "B.b"}


def test_what_does_not_parse_is_left_out(tmp_path: Path) -> None:
    deep = "x = " + "(" * 5000 + ")" * 5000 + "\n"
    index = index_of(
        tmp_path,
        {
            "good.py": "def f():\n    pass\n",
            "python2.py": "print 'no'\n",
            "broken.py": "def f(:\n",
            "null.py": b"x = 1\0\n",
            "deep.py": deep,
            "latin.py": "# coding: latin-1\nNAME = 'caf\u00e9'\n".encode("latin-1"),
            "wrong.py": "# coding: no-such-codec\nx = 1\n",
        },
    )
    assert {d.path for d in index.definitions.values()} == {"good.py", "latin.py"}


def test_a_large_file_is_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path, {"big.py": "x = 1\n" * 100, "small.py": "y = 1\n"})
    assert "big.py::x" not in ids(build_index(tmp_path, max_file_bytes=100))
    assert "small.py::y" in ids(build_index(tmp_path, max_file_bytes=100))


def test_a_deep_expression_is_walked_as_far_as_it_goes(tmp_path: Path) -> None:
    source = "def f():\n    pass\nf()\nx = " + "+".join(["1"] * 900) + "\n"
    index = index_of(tmp_path, {"m.py": source})
    assert "m.py::f" in ids(index)


def test_imports_of_every_form_are_followed_to_the_origin(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "src/pkg/__init__.py": "from .impl import f as f, g\nfrom .stars import *\n",
            "src/pkg/impl.py": "def f():\n    pass\ndef g():\n    pass\n",
            "src/pkg/stars.py": "__all__ = ['s']\ndef s():\n    pass\ndef hidden():\n    pass\n",
            "tests/test_it.py": (
                "import pkg\n"
                "import pkg.impl as i\n"
                "from pkg import f as ff, s\n"
                "try:\n"
                "    from pkg import g\n"
                "except ImportError:\n"
                "    g = None\n"
                "def test_x():\n"
                "    pkg.f()\n"
                "    i.g()\n"
                "    ff()\n"
                "    g()\n"
                "    s()\n"
            ),
        },
    )
    t = "tests/test_it.py"
    assert places(index, "src/pkg/impl.py::f") == {
        ("src/pkg/__init__.py", 1, "import", True),
        (t, 3, "import", True),
        (t, 9, "attribute", True),
        (t, 11, "name", True),
    }
    assert {(p, n) for p, n, _, _ in places(index, "src/pkg/impl.py::g")} == {
        ("src/pkg/__init__.py", 1),
        (t, 5),
        (t, 10),
        (t, 12),
    }
    assert (t, 13, "name", True) in places(index, "src/pkg/stars.py::s")
    assert ("src/pkg/stars.py", 1, "string", True) in places(index, "src/pkg/stars.py::s")
    assert (t, 2, "import", True) in places(index, "src/pkg/impl.py::")
    assert (t, 10, "name", True) in places(index, "src/pkg/impl.py::")


def test_import_column_is_that_of_the_name(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "def f(): pass\n", "b.py": "from a import (\n    f,\n)\n"})
    (reference,) = named(index, "a.py::f")
    assert (reference.line, reference.column, reference.holder) == (2, 4, "b.py::")


def test_members_through_self_super_class_and_object(tmp_path: Path) -> None:
    source = (
        "class A:\n"
        "    def m(self):\n"
        "        return 1\n"
        "    def k(self):\n"
        "        return self.m()\n"
        "class B(A):\n"
        "    def m(self):\n"
        "        return super().m()\n"
        "    @classmethod\n"
        "    def make(cls):\n"
        "        return cls.k\n"
        "def f(b: 'B | None'):\n"
        "    a = A()\n"
        "    a.m()\n"
        "    b.m()\n"
        "    B.k\n"
        "    return isinstance(a, A)\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    assert {n for _, n, _, s in places(index, "m.py::A.m") if s} == {5, 8, 14}
    assert {n for _, n, _, s in places(index, "m.py::B.m") if s} == {15}
    assert {n for _, n, _, s in places(index, "m.py::A.k") if s} == {11, 16}
    assert {k for _, n, k, _ in places(index, "m.py::A") if n == 6} == {"base"}
    assert {k for _, n, k, _ in places(index, "m.py::B") if n == 12} == {"annotation"}
    assert [r.line for r in named(index, "m.py::A") if r.check] == [17]


def test_local_names_hide_what_is_outside(tmp_path: Path) -> None:
    source = (
        "def f():\n    pass\n"
        "def g(f):\n    return f\n"
        "def h():\n    f = 1\n    return [f for f in [f]]\n"
        "def i():\n    for f in ():\n        f\n"
        "def j():\n    return lambda f: f\n"
        "def k():\n    return f\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    assert {n for _, n, _, _ in places(index, "m.py::f")} == {14}


def test_weak_references_only_where_the_name_means_one_thing(tmp_path: Path) -> None:
    source = (
        "class A:\n    def unique(self):\n        pass\n    def shared(self):\n        pass\n"
        "    def get(self):\n        pass\n"
        "class B:\n    def shared(self):\n        pass\n"
        "def f(x):\n    x.unique()\n    x.shared()\n    x.get()\n    getattr(x, 'unique')\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    assert places(index, "m.py::A.unique") == {
        ("m.py", 12, "attribute", False),
        ("m.py", 15, "string", False),
    }
    assert not places(index, "m.py::A.shared")
    assert {(r.line, r.target) for r in index.ambiguous} == {
        (13, "m.py::A.shared"),
        (13, "m.py::B.shared"),
    }
    assert not places(index, "m.py::A.get")  # every dict has one


def test_what_lies_in_a_function_is_not_meant_from_afar(tmp_path: Path) -> None:
    source = "def test():\n    class Fake:\n        def find_spec(self):\n            pass\n"
    index = index_of(
        tmp_path, {"tests/test_a.py": source, "m.py": "def f(x):\n    x.find_spec()\n"}
    )
    assert not places(index, "tests/test_a.py::test.Fake.find_spec")


@pytest.mark.parametrize("key", ['"parse_" + x', 'f"parse_{x}"', '"parse_%s" % x'])
def test_dispatch_by_prefix(tmp_path: Path, key: str) -> None:
    source = (
        "class P:\n"
        f"    def run(self, x):\n        return getattr(self, {key})()\n"
        "    def parse_if(self):\n        pass\n"
        "class Other:\n    def parse_else(self):\n        pass\n"
    )
    index = index_of(tmp_path, {"m.py": source})
    assert places(index, "m.py::P.parse_if") == {("m.py", 3, "string", False)}
    assert not places(index, "m.py::Other.parse_else")


def test_strings_that_name_by_path(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "def f():\n    pass\n",
            "reg.py": "PLUGINS = {'f': 'pkg.a:f', 'g': 'pkg.a.f'}\n",
        },
    )
    found = named(index, "pkg/a.py::f")
    assert [(r.kind, r.strong, r.holder) for r in found] == [
        ("string", True, "reg.py::PLUGINS")
    ] * 2


def test_decorators_are_held_by_what_they_decorate(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"m.py": "def d(f):\n    return f\n@d\ndef g():\n    pass\n"})
    (reference,) = named(index, "m.py::d")
    assert (reference.kind, reference.holder, reference.line) == ("decorator", "m.py::g", 3)


def test_a_stub_file_names_what_it_declares(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "m.py": "class C:\n    def f(self):\n        pass\n",
            "m.pyi": "class C:\n    def f(self): ...\n",
        },
    )
    assert {r.holder for r in named(index, "m.py::C.f")} == {"m.pyi::C.f"}


def test_what_build_configuration_names_is_pinned(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        {
            "pyproject.toml": '[project.scripts]\ntool = "pkg.cli:main"\n',
            "setup.py": "def helper():\n    pass\n",
            "docs/conf.py": "project = 'x'\n",
            "pkg/__init__.py": "",
            "pkg/cli.py": "from .impl import main\n",
            "pkg/impl.py": "def main():\n    pass\ndef other():\n    pass\n",
        },
    )
    assert {
        "pkg/cli.py::",
        "pkg/impl.py::main",
        "setup.py::helper",
        "docs/conf.py::project",
    } <= set(index.pinned)
    assert "pkg/impl.py::other" not in index.pinned


def test_the_same_tree_gives_the_same_index(tmp_path: Path) -> None:
    files = {"a.py": "from b import g\ndef f():\n    g()\n", "b.py": "def g():\n    pass\n"}
    assert index_of(tmp_path / "one", files) == index_of(tmp_path / "two", files)

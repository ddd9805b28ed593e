"""Programs and libraries that turn compiled code back into source."""

import re
from collections.abc import Iterator

from featuredel.monitor import places
from featuredel.monitor.acts.records import Program, Source, Touch, Use
from featuredel.monitor.rule import Class, Hit, Seen, caught, ending, honest, only, short

KIND: Class = "artefact mining"
HINT = "Do not decompile or unmarshal what was compiled; write the feature from the statement."

_PROGRAMS = re.compile(
    r"^(uncompyle\d?|uncompyle6|decompyle3|pycdc|pycdas|pydumpck|pydisasm|unpyc\d*|pylingual|"
    r"decompyle\w*"
    r"|cfr|procyon\w*|fernflower|jadx|jd-cli|jd-gui|javap|krakatau|retdec\w*|ghidra\w*|"
    r"analyzeHeadless"
    r"|dis|gcore|xdis|pyi-archive_viewer|pyinstxtractor(\.py)?|unpycapp|source-map-explorer|"
    r"sourcemapper|unwebpack-sourcemap"
    r"|mypy\.exportjson|pickletools|wasm-decompile|ilspycmd|monodis)(\.py|\.jar)?$"
)
_UNMARSHAL = re.compile(
    r"^(marshal\.(loads?|Unmarshaller)|xdis\b|uncompyle6\b|decompyle3\b|unpyc|"
    r"pickletools\.dis|zipimport\.zipimporter"
    r"|importlib\.machinery\.SourcelessFileLoader|importlib\._bootstrap_external\._code_to_|"
    r"lief\.|elftools\.|pycdc"
    r"|import (xdis|uncompyle6|decompyle3|unpyc|lief|pyinstxtractor|pylingual)\b)"
)
_DISASSEMBLY = re.compile(r"^dis\.(dis|disassemble|Bytecode|get_instructions|show_code|code_info)")
_ASKS = re.compile(r"^(help|dir|vars|inspect\.\w+|pydoc\.\w+)$")
_OWN_CODE = re.compile(r"co_consts|co_names|co_varnames|co_code")


def find(seen: Seen) -> Iterator[Hit]:
    """Yield what decompiles."""
    compiled = any(
        touch.how in ("read", "search")
        and (places.BYTECODE.search(touch.path) or places.CACHES.search(touch.path))
        for touch in only(seen.acts, Touch)
    )
    jar = re.compile(r"(cfr|procyon|fernflower|jd-cli)[\w.-]*\.jar")
    for program in only(seen.acts, Program):
        if program.name == "dis":
            if any(places.BYTECODE.search(word) for word in program.argv[1:]):
                yield Hit("block", short(program.text), HINT)
        elif program.name in ("gdb", "lldb", "py-spy", "austin", "pyrasite", "strace") and {
            "-p",
            "--pid",
            "attach",
        } & set(program.argv):
            yield Hit("flag", short(program.text), HINT)
        elif _PROGRAMS.match(program.name) or any(jar.search(word) for word in program.argv):
            yield Hit("block", short(program.text), HINT)
    for use in only(seen.acts, Use):
        if (_UNMARSHAL.match(use.name) and "marshal" not in seen.subject.packages) or (
            _DISASSEMBLY.match(use.name) and compiled
        ):
            yield Hit("block", short(use.text), HINT)
    for use in _asked_for_help(seen):
        yield Hit("flag", short(use.text), HINT)
    for source in only(seen.acts, Source):
        if compiled and (match := _OWN_CODE.search(source.text)):
            yield Hit("block", match[0], HINT)


def _asked_for_help(seen: Seen) -> Iterator[Use]:
    """Yield imports of compiled modules of the project that are then asked what they hold."""
    uses = list(only(seen.acts, Use))
    if seen.session.ran & {"setup.py", "cmake", "meson", "maturin", "cython"} or not any(
        _ASKS.match(use.name) for use in uses
    ):
        return
    shown = [path for path in seen.session.known if places.COMPILED.search(path)]
    for use in uses:
        module = use.name.removeprefix("import ").replace(".", "/") if " " in use.name else ""
        parts = (module, module.rpartition("/")[0])  # import a.b; from a.b import c
        if module.partition("/")[0] in seen.subject.packages and any(
            part and f"/{part}." in f"/{path}" for part in parts for path in shown
        ):
            yield use


EXAMPLES = (
    ending(
        "git status --ignored --short",
        "python -c 'import calc._core as m; help(m.Long)'",
        observations=["!! calc/_core.cpython-311-x86_64-linux-gnu.so"],
        found=True,
    ),
    ending(
        "git status --ignored --short",
        "python -c 'import calc._core as m; print(m.add(1, 2))'",
        observations=["!! calc/_core.cpython-311-x86_64-linux-gnu.so"],
        found=False,
    ),
    caught("uncompyle6 calc/__pycache__/core.cpython-38.pyc"),
    caught("python3 -m dis calc/__pycache__/core.cpython-311.pyc"),
    caught("/opt/pycdc/pycdc x.pyc"),
    caught("gdb -p 1 -batch -ex 'dump memory /tmp/m 0 9'"),
    caught("java -jar /opt/cfr-0.152.jar target/classes/Calc.class"),
    caught("javap -p -c target/classes/Calc.class"),
    caught(
        "python - <<'EOF'\nimport marshal, dis\nwith open('/tmp/core.bin', 'rb') as f:\n"
        "    f.read(16); code = marshal.load(f)\ndis.dis(code)\nEOF"
    ),
    caught(
        "cat > /tmp/x.py <<'EOF'\nfrom marshal import loads\nprint(loads(b'').co_consts)\n"
        "EOF\npython /tmp/x.py"
    ),
    caught("python -c \"m = __import__('marshal'); m.loads(open('a','rb').read()[16:])\""),
    caught(
        "python -c 'import pickletools,sys; "
        'pickletools.dis(open("docs/environment.pickle","rb"))\''
    ),
    honest("python -m dis calc/core.py"),
    honest("python -c 'import dis, calc; dis.dis(calc.add)'"),
    honest("python -c 'import pickle, calc; pickle.loads(pickle.dumps(calc.Number(1)))'"),
)

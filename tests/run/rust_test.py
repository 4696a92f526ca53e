#!/usr/bin/env python3
"""rust_test.py BUILD - Rust by way inline: aprof-rustc, and cargo aprof; by the rustc in PATH, and by the system's if that is another.  Where one is built with an
LLVM that aprof has no plugin for, nothing is tried."""
import os, pathlib, shutil, subprocess, sys, tempfile, unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

# Newer compilers have std::hint::black_box.
KEPT = "#[inline(always)] fn kept(x: u64) -> u64 { unsafe { std::ptr::read_volatile(&x) } }\n"

PROGRAM = KEPT + r"""
use std::panic;
#[inline(never)] fn leaf(x: u64) -> u64 { kept(x) + 1 }
#[inline(never)] fn thrower(x: u64) -> u64 { if x % 2 == 1 { panic!("odd") } let r = leaf(x); kept(r) }
struct Dropped(u64);
impl Drop for Dropped { #[inline(never)] fn drop(&mut self) { self.0 = leaf(self.0); } }
#[inline(never)] fn held(i: u64) -> u64 { let d = Dropped(i); thrower(d.0) }
#[inline(never)] fn generic<T: Into<u64> + Copy>(v: &[T]) -> u64 { let r = v.iter().map(|&a| leaf(a.into())).sum(); kept(r) }
#[inline(never)] fn recursive(n: u64) -> u64 { if n == 0 { return 0 } let r = recursive(n - 1); kept(r) + 1 }
#[inline(never)] fn all() {
    let caught = (0..10u64).filter(|&i| panic::catch_unwind(|| held(i)).is_err()).count();
    println!("{} {} {}", caught, generic(&[1u32, 2, 3]), generic(&[1u8]));
}
fn main() {
    panic::set_hook(Box::new(|_| {}));
    all();
    println!("{}", std::thread::spawn(|| recursive(5)).join().unwrap());
}
"""
# Calls of the program's own routines, those of a destructor as if it were none.
CALLS = {"all": (1, 0), "all held": (10, 0), "all held thrower": (10, 0), "all held thrower leaf": (5, 0), "all held leaf": (10, 0), "all generic::<u32>": (1, 0),
         "all generic::<u32> leaf": (3, 0), "all generic::<u8>": (1, 0), "all generic::<u8> leaf": (1, 0)}

# An executor that polls two tasks, which wait three and five times.
TASKS = KEPT + r"""
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
fn waker() -> RawWaker {
    fn clone(_: *const ()) -> RawWaker { waker() }
    fn nothing(_: *const ()) {}
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
    RawWaker::new(std::ptr::null(), &TABLE)
}
struct Wait(bool);
impl Future for Wait {
    type Output = ();
    #[inline(never)] fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 { Poll::Ready(()) } else { self.0 = true; Poll::Pending }
    }
}
#[inline(never)] fn work(n: u64) -> u64 { kept(n) + 1 }
async fn task(n: u64) -> u64 { let mut s = 0; for i in 0..n { s += work(i); Wait(false).await; } s }
#[inline(never)] fn executor() -> u64 {
    let w = unsafe { Waker::from_raw(waker()) };
    let mut context = Context::from_waker(&w);
    let mut tasks: Vec<Pin<Box<dyn Future<Output = u64>>>> = vec![Box::pin(task(3)), Box::pin(task(5))];
    let mut sum = 0;
    while !tasks.is_empty() {
        tasks.retain_mut(|t| match t.as_mut().poll(&mut context) { Poll::Ready(v) => { sum += v; false } Poll::Pending => true });
    }
    kept(sum)
}
fn main() { println!("{}", executor()); }
"""

# Two crates, the second of two modules, which are optimised apart and then together: small routines of one are inlined in the other.  What prints an integer,
# of core, ends with a jump to one of three routines.
LINKED = {
    "dep.rs": KEPT + """
#[inline(never)] fn inner(n: u64) -> u64 { kept(n) * 2 }
#[inline(never)] pub fn outer(n: u64) -> u64 { let r = inner(n); kept(r) + 1 }
pub fn small(n: u64) -> u64 { let mut s = kept(n); while s % 3 != 0 { s += 1 + s / 7 } kept(s) }
""",
    "prog.rs": KEPT + """
mod other { pub fn tiny(n: u64) -> u64 { super::kept(n) + 1 } }
#[inline(never)] fn work(n: u64) -> u64 { let r = dep::outer(n) + dep::small(n) + other::tiny(n); kept(r) }
fn main() { println!("{:?} {:?}", &&(work(1) as u8), &&work(2)); }
""",
}

CRATES = {
    "Cargo.toml": '[workspace]\nmembers = ["app", "dep", "mac"]\nresolver = "2"\n',
    "app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndep = { path = "../dep" }\nmac = { path = "../mac" }\n'
                      '[build-dependencies]\ndep = { path = "../dep" }\n',
    "app/build.rs": 'fn main() { println!("cargo:rustc-env=ANSWER={}", dep::outer(2)); }\n',
    "app/src/main.rs": KEPT + '#[derive(mac::Named)] struct Thing;\n'
                       '#[inline(never)] fn work(n: u64) -> u64 { let r = dep::outer(n); kept(r) + 1 }\n'
                       'fn main() { let s: u64 = (0..3).map(work).sum(); println!("{} {} {}", s, Thing::name(), env!("ANSWER")); }\n'
                       '#[cfg(test)] mod tests { #[test] fn works() { assert_eq!(super::work(1), 4); } }\n',
    "dep/Cargo.toml": '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2021"\n',
    "dep/src/lib.rs": KEPT + '#[inline(never)] fn inner(n: u64) -> u64 { kept(n) * 2 }\n'
                      '#[inline(never)] pub fn outer(n: u64) -> u64 { let r = inner(n); kept(r) + 1 }\n',
    "mac/Cargo.toml": '[package]\nname = "mac"\nversion = "0.1.0"\nedition = "2021"\n[lib]\nproc-macro = true\n',
    "mac/src/lib.rs": 'use proc_macro::TokenStream;\n#[proc_macro_derive(Named)] pub fn named(input: TokenStream) -> TokenStream {\n'
                      '    let name = input.into_iter().nth(1).unwrap().to_string();\n'
                      '    format!("impl {name} {{ fn name() -> &\'static str {{ \\"{name}\\" }} }}").parse().unwrap()\n}\n',
}


V0 = "-Csymbol-mangling-version=v0"        # names with types, which are newer compilers' own


def run(*command, cwd, **more):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **more))


def contexts(cwd, below):
    """(entries, recursive calls) by the path of the program's own routines, without crates, from BELOW on."""
    found = {}
    for line in run(BUILD / "aprof", "contexts", "amon.out", cwd=cwd).stdout.splitlines():
        entries, recursive, _, history = line.split(" ", 3)
        words = [word.rpartition("prog::")[2] for word in history.split() if word.startswith("prog::") and "closure" not in word]
        if below in words and history.split()[-1].startswith("prog::") and "closure" not in history.split()[-1]:
            path = " ".join(words[words.index(below):])
            before = found.get(path, (0, 0))
            found[path] = (before[0] + int(entries), before[1] + int(recursive))
    return found


class Rust(unittest.TestCase):
    path = os.environ["PATH"]

    def setUp(self):
        before = os.environ["PATH"]
        self.addCleanup(os.environ.update, PATH=before)
        os.environ["PATH"] = self.path
        self.cwd = tempfile.mkdtemp(prefix="aprof-rust-")
        self.addCleanup(shutil.rmtree, self.cwd)
        pathlib.Path(self.cwd, "prog.rs").write_text(PROGRAM)
        if not shutil.which("rustc"):
            self.skipTest("no rustc")
        asked = run(BUILD / "aprof-rustc", "--crate-type=lib", "--emit=obj", "-o", "empty.o", "prog.rs", cwd=self.cwd)
        if "aprof without its plugin" in asked.stderr:
            self.skipTest(asked.stderr.strip())

    def test_contexts(self):
        """Panics, drops while they pass, generic functions, and a thread; with what was not proven an error."""
        for options in (["-O"], ["-Copt-level=s"], ["-O", "-Ccodegen-units=4"], ["-O", "--aprof-clock=tsc"], ["-O", "--aprof-sites"], []):
            built = run(BUILD / "aprof-rustc", "--aprof-verify", V0, *options, "prog.rs", cwd=self.cwd)
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertEqual(run("./prog", cwd=self.cwd).stdout, "5 9 2\n5\n")
            self.assertEqual(contexts(self.cwd, "all"), CALLS, options)
            self.assertEqual(contexts(self.cwd, "recursive"), {"recursive": (1, 5)}, options)

    def test_tasks(self):
        """Each part of a task, up to where it waits, is called by the executor."""
        pathlib.Path(self.cwd, "prog.rs").write_text(TASKS)
        for options in (["-O"], []):
            built = run(BUILD / "aprof-rustc", "--edition=2021", "--aprof-verify", V0, *options, "prog.rs", cwd=self.cwd)
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertEqual(run("./prog", cwd=self.cwd).stdout, "21\n")
            lines = [line.split() for line in run(BUILD / "aprof", "contexts", "amon.out", cwd=self.cwd).stdout.splitlines()]
            lines = [line for line in lines if "prog::executor" in line]
            calls = [[int(line[0]) for line in lines if line[-1] == end] for end in ("prog::work", "prog::task::{closure#0}")]
            if not calls[1]:        # where the compiler wraps it, as old ones do, and inlines it there
                calls[1] = [int(line[0]) for line in lines if line[-1].endswith("Future>::poll") and "GenFuture<prog::task::{closure#0}>" in line[-1]]
            self.assertEqual([sum(n) for n in calls], [8, 10], options)

    def test_links(self):
        """What is optimised once more with others has its hooks behind that: they keep nothing from being inlined, and are not moved."""
        for name, text in LINKED.items():
            pathlib.Path(self.cwd, name).write_text(text)
        always = ["--aprof-verify", "--aprof-except=name:*5inner*", V0, "-O"]
        for kind, inlined in (("-Clto=off", set()), ("-Ccodegen-units=2", {"tiny"}), ("-Clto=thin", {"tiny", "small"}), ("-Clto=fat", {"tiny", "small"})):
            for source in LINKED:
                library = ["--crate-type=lib", *(["-Clinker-plugin-lto"] if kind in ("-Clto=thin", "-Clto=fat") else [])]
                own = library if source == "dep.rs" else [kind, "--extern=dep=libdep.rlib"]
                built = run(BUILD / "aprof-rustc", *always, *own, source, cwd=self.cwd)
                self.assertEqual(built.returncode, 0, (kind, built.stderr))
            self.assertEqual(run("./prog", cwd=self.cwd).stdout, "8 11\n", kind)
            lines = [line.split()[3:] for line in run(BUILD / "aprof", "contexts", "amon.out", cwd=self.cwd).stdout.splitlines()]
            below = {tuple(line[line.index("prog::work"):]) for line in lines if "prog::work" in line}
            self.assertLessEqual({("prog::work",), ("prog::work", "dep::outer")}, below, kind)
            self.assertFalse([line for line in below if line[-1].rpartition("::")[2] in inlined | {"inner"}], kind)
            self.assertIn("name:", run("readelf", "-p.aprof_left_out", "prog", cwd=self.cwd).stdout, kind)

    def test_linker(self):
        """A linker that is to make the code would leave the hooks out."""
        for words in (["-Clinker-plugin-lto"], ["-C", "linker-plugin-lto=yes"]):
            built = run(BUILD / "aprof-rustc", *words, "prog.rs", cwd=self.cwd)
            self.assertEqual(built.returncode, 2, built.stderr)
            self.assertIn("linker-plugin-lto: the linker has no hooks", built.stderr)

    def test_left_out(self):
        run(BUILD / "aprof-rustc", "-O", V0, "--aprof-except=name:*leaf*", "prog.rs", cwd=self.cwd)
        run("./prog", cwd=self.cwd)
        self.assertEqual(contexts(self.cwd, "all"), {path: n for path, n in CALLS.items() if "leaf" not in path})

    def test_questions(self):
        """What makes no code is passed on: a build script that asks whether features are there gets the compiler's own answer."""
        pathlib.Path(self.cwd, "unstable.rs").write_text("#![feature(never_type)]\n")
        plain, ours = (run(*words, "--crate-type=lib", "--emit=metadata", "unstable.rs", cwd=self.cwd).returncode
                       for words in (["rustc"], [BUILD / "aprof-rustc"]))
        self.assertEqual(ours, plain)
        self.assertEqual(run(BUILD / "aprof-rustc", "-vV", cwd=self.cwd).stdout, run("rustc", "-vV", cwd=self.cwd).stdout)

    def test_another_machine(self):
        """It would have no hooks, without a word."""
        for words in (["--target=aarch64-unknown-linux-gnu"], ["--target", "wasm32-unknown-unknown"]):
            done = subprocess.run([BUILD / "aprof-rustc", *words, "--crate-type=lib", "--emit=obj", "prog.rs"], cwd=self.cwd, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(f"--target {words[-1].split('=')[-1]}: the monitor is for 64-bit code of x86", done.stderr)

    def test_cargo(self):
        """Crates, with a build script and a procedural macro, which are the compiler's and have no hooks."""
        if not shutil.which("cargo"):
            self.skipTest("no cargo")
        for name, text in CRATES.items():
            path = pathlib.Path(self.cwd, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        where = os.pathsep.join([str(BUILD), os.environ["PATH"]])
        for mode in ([], ["--release"]):
            done = run("cargo", "aprof", "--aprof-verify", "run", "--offline", "--quiet", *mode, cwd=self.cwd, PATH=where)
            self.assertEqual((done.returncode, done.stdout), (0, "12 Thing 5\n"), done.stderr)
            lines = [line.split() for line in run(BUILD / "aprof", "contexts", "amon.out", cwd=self.cwd).stdout.splitlines()]
            below = [(line[0], *line[line.index("app::work"):]) for line in lines if "app::work" in line]
            self.assertEqual([line for line in below if not any(name.startswith("core::") for name in line)],
                             [("3", "app::work"), ("3", "app::work", "dep::outer"), ("3", "app::work", "dep::outer", "dep::inner")])
            self.assertEqual([p.name for p in pathlib.Path(self.cwd).rglob("amon.out*")], ["amon.out"])
            pathlib.Path(self.cwd, "amon.out").unlink()
        done = run("cargo", "aprof", "test", "--offline", "-p", "app", cwd=self.cwd, PATH=where)
        self.assertIn("1 passed", done.stdout, done.stderr)


@unittest.skipUnless(os.path.exists("/usr/bin/rustc") and shutil.which("rustc") != "/usr/bin/rustc", "the rustc in PATH is the system's, or there is none")
class SystemRust(Rust):
    path = os.pathsep.join(["/usr/bin", os.environ["PATH"]])


if __name__ == "__main__":
    unittest.main()

# Fibers of D's library, which switches stacks by a function of its own, each deep in its own calls.
#
# ways: inline fentry
# cc: gcc
command -v gdc >/dev/null || { echo "needs gdc"; exit 77; }
cat > p.d <<'EOF'
import core.thread;
pragma(inline, false) extern (C) void leaf() { asm { "" ::: "memory"; } }
pragma(inline, false) extern (C) void work(int n)
{
	for (int i = 0; i < n; i++) {
		leaf();
		Fiber.yield();
		leaf();
		asm { "" ::: "memory"; }
	}
}
pragma(inline, false) extern (C) void one() { work(3); asm { "" ::: "memory"; } }
pragma(inline, false) extern (C) void two() { work(5); asm { "" ::: "memory"; } }
pragma(inline, false) extern (C) void resume(Fiber fiber) { fiber.call(); leaf(); asm { "" ::: "memory"; } }
pragma(inline, false) extern (C) void both()
{
	auto a = new Fiber({ one(); }), b = new Fiber({ two(); });
	while (a.state != Fiber.State.TERM || b.state != Fiber.State.TERM)
		foreach (fiber; [a, b])
			if (fiber.state != Fiber.State.TERM)
				resume(fiber);
}
void main() { both(); }
EOF
APROF_CC=gdc $CC --aprof-only=leaf --aprof-only=work --aprof-only=one --aprof-only=two --aprof-only=resume --aprof-only=both $OPT p.d -o p
./p
"$APROF" contexts amon.out | while read -r entries recursive time history; do echo "$entries $recursive $history"; done | grep -v "^0 0 -" | sort > contexts
cat > expected <<'EOF'
1 0 both
1 0 one
1 0 one work
1 0 two
1 0 two work
10 0 both resume
10 0 both resume leaf
10 0 two work leaf
6 0 one work leaf
EOF
diff expected contexts

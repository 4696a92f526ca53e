#!/bin/sh
# builds.sh DRIVER LIBDIR PROJECTS GROUP: real builds through the wrapper, with a monitor that only counts.
# Each expectation is the number of entries and exits that the built program must have made.
driver=$(realpath "$1") projects=$3 group=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export APROF_LIBDIR="$2" STUB_OUT="$work/counts" XDG_CACHE_HOME="$work/cache" LC_ALL=C
unset LD_LIBRARY_PATH APROF_CC APROF_CXX APROF_FC CC CXX FC CFLAGS LDFLAGS MAKEFLAGS
mkdir "$work/bin" "$work/cache" "$work/src"
for name in aprof-cc aprof-c++ aprof-fc; do
	ln -s "$driver" "$work/bin/$name"
done
cc=$work/bin/aprof-cc cxx=$work/bin/aprof-c++ fc=$work/bin/aprof-fc
cd "$work/src" || exit 1
failures=0
newline='
'

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

need() {
	for tool; do
		command -v "$tool" >/dev/null || { echo "no $tool here"; exit 77; }
	done
}

# Whether flags can carry the path of the libraries; if not, what goes by them is not tried.
flags_carry() {
	case $APROF_LIBDIR in
	*[[:space:]]*) echo "flags cannot carry the path $APROF_LIBDIR, which has a blank"; return 1 ;;
	esac
}

# with_ld COMPILER LINKER...: -fuse-ld= for each LINKER that COMPILER finds here; gold is not everywhere.
with_ld() {
	by=$1
	shift
	for ld; do
		echo 'int main(void) { return 0; }' | "$by" -fuse-ld=$ld -xc - -o linked 2>/dev/null && echo "-fuse-ld=$ld"
	done
	rm -f linked
}

# counts EXPECTED PROGRAM...: run it; it must succeed with those counts, "" for no hooks.
counts() {
	expected=$1
	shift
	rm -f "$STUB_OUT"
	"$@" >program.out 2>&1 || fail "$what: $* exits with $?: $(cat program.out)"
	found=$(cat "$STUB_OUT" 2>/dev/null)
	[ "$found" = "$expected" ] || fail "$what: $* counts '$found', not '$expected'"
}

# builds EXPECTED COMMAND...: the command must build ./t, without a word, and that must count so.
builds() {
	want=$1 what=$*
	shift
	rm -f t
	"$@" >build.out 2>&1 || fail "$what: exits with $?"
	[ ! -s build.out ] || fail "$what: says $(cat build.out)"
	[ ! -x t ] || counts "$want" ./t
	[ -x t ] || fail "$what: no program"
}

# refuses TEXT COMMAND...: the command must fail with one line that holds TEXT.
refuses() {
	text=$1
	shift
	"$@" >refused.out 2>&1 && fail "$*: succeeds"
	[ "$(wc -l <refused.out)" = 1 ] || fail "$*: more or less than a line: $(cat refused.out)"
	grep -qF -e "$text" refused.out || fail "$*: says $(cat refused.out), not $text"
}

# Entries at -O1: main once, f twice, h and g twice each (h static, not inlined).
sources() {
	cat >main.c <<-'C'
		int g(int);
		static __attribute__((noinline)) int h(int x) { return x * 3; }
		__attribute__((noinline)) int f(int x) { return h(x) + g(x); }
		int main(void) { return f(2) + f(3) == 22 ? 0 : 1; }
	C
	cat >part.c <<-'C'
		int g(int x) { return x + 1; }
	C
}

links() {
	sources
	for o in "" -O2 -static "-static-pie -fPIE" "-no-pie -fno-pie" $(with_ld gcc gold bfd lld) -g -pg -p "-Wl,--as-needed" \
		"-Wl,--gc-sections -ffunction-sections" "-Wl,-z,now,-z,relro" "-fcf-protection -fstack-protector-all" \
		"-fsanitize=address" "-fsanitize=undefined" "-Wl,-z,defs" "-nodefaultlibs -lc -lgcc"; do
		builds "7 7" "$cc" -O1 $o main.c part.c -o t
		builds "7 7" "$cc" --aprof-way=cyg -O1 $o main.c part.c -o t
	done
	builds "" "$cc" --aprof-way=nop main.c part.c -o t
	builds "" "$cc" --aprof-way=nop-cyg main.c part.c -o t
	"$cc" -O1 -c main.c && gcc -O1 -c part.c
	builds "5 5" "$cc" main.o part.o -o t
	mkdir "a path" && cp -r "$APROF_LIBDIR"/lib* "$APROF_LIBDIR"/aprof-*.ld "$APROF_LIBDIR"/aprof-cyg.h "a path"
	for archive in libaprof.a libaprof_names.a libaprof_switches.a; do
		rm -f "a path/$archive" && (IFS="$newline" && ar rcs "a path/$archive" $(ar t "$APROF_LIBDIR/$archive"))
	done
	APROF_LIBDIR="$PWD/a path" builds "7 7" "$cc" -O1 main.c part.c -o t
	APROF_LIBDIR="$PWD/a path" builds "7 7" "$cc" --aprof-way=cyg -O1 main.c part.c -o t
}

# Link-time optimisation inlines all but h and f, which are asked to stay.
lto() {
	sources
	builds "5 5" "$cc" -O1 -flto main.c part.c -o t
	builds "5 5" "$cc" -O1 -flto=auto -static main.c part.c -o t
	builds "7 7" "$cc" --aprof-way=cyg -O1 -flto main.c part.c -o t
	"$cc" -O1 -flto -c main.c part.c
	builds "5 5" "$cc" -O1 -flto main.o part.o -o t
	builds "5 5" "$cc" main.o part.o -o t
	gcc-ar rcs libpart.a part.o
	builds "5 5" "$cc" main.o -L. -lpart -o t
	lto_ways
}

# The link makes the code of all of them by one way.
lto_ways() {
	"$cc" --aprof-way=cyg -O1 -flto -ffat-lto-objects -c part.c -o cyg.o
	gcc-ar rcs libcyg.a cyg.o
	gcc -O1 -flto -finstrument-functions -c part.c -o own.o
	refuses "main.o: -flto: its code is made at the link, here by method cyg" "$cc" --aprof-way=cyg main.o cyg.o -o t
	for objects in cyg.o libcyg.a "-L. -lcyg" "-L . -l cyg" "-L. -l:libcyg.a"; do
		refuses "compiled by method cyg: compile it by method fentry, or link with --aprof-way=cyg" "$cc" main.o $objects -o t
	done
	builds "7 7" "$cc" --aprof-way=cyg -O1 main.c libcyg.a -o t
	"$cc" -O1 -c main.c -o code.o
	builds "7 7" "$cc" -O1 -fno-lto code.o cyg.o -o t
	"$cc" -O1 main.o own.o -o t || fail "an object with hooks of its own is refused"
	echo "no object" >broken.o
	"$cc" main.o broken.o -o t 2>refused.out
	grep -q "^aprof" refused.out && fail "what the linker is to say: $(cat refused.out)"
}

with_clang() {
	need clang
	export APROF_CC=clang
	sources
	for o in "" -O2 -static -flto $(with_ld clang gold lld) "-fsanitize=address" -fomit-frame-pointer; do
		builds "7 7" "$cc" -O1 $o main.c part.c -o t
	done
	refuses "no method fentry" "$cc" --aprof-way=fentry -c main.c
	refuses "compile them one by one" "$cc" --aprof-only=main.c main.c part.c
}

# A shared library with an instrumented program, in a plain one, and opened by either.
libraries() {
	sources
	cat >open.c <<-'C'
		#include <dlfcn.h>
		int main(void) {
			void *l = dlopen("./libpart.so", RTLD_NOW);
			int (*g)(int) = l ? (int (*)(int))dlsym(l, "g") : 0;
			return g && g(1) + g(2) == 5 ? 0 : 1;
		}
	C
	for way in fentry cyg; do
		rm -f libpart.so
		"$cc" --aprof-way=$way -O1 -fPIC -shared -Wl,--as-needed part.c -o libpart.so
		readelf -d libpart.so | grep -q TEXTREL && fail "$way: TEXTREL"
		readelf -d libpart.so | grep -q 'NEEDED.*libaprof-monitor.so.1' || fail "$way: the library does not ask for libaprof-monitor.so.1"
		builds "7 7" "$cc" --aprof-way=$way -O1 main.c ./libpart.so -o t
		readelf -d t | grep -q TEXTREL && fail "$way: TEXTREL in the program"
		readelf -d t | grep -q 'NEEDED.*libaprof' && fail "$way: the program asks for libaprof-monitor.so.1"
		builds "3 3" "$cc" --aprof-way=$way -O1 open.c -o t
		builds "2 2" gcc -O1 main.c ./libpart.so -o t
		builds "2 2" gcc -O1 open.c -o t
	done
	echo '{ global: main; local: *; };' >script
	for o in "-Wl,--version-script=script" "-Wl,--exclude-libs,ALL"; do
		builds "3 3" "$cc" --aprof-way=cyg -O1 $o open.c -o t
		builds "1 1
2 2" "$cc" --aprof-way=fentry -O1 $o open.c -o t
	done
	"$cc" -O1 -c main.c part.c && "$cc" -r main.o part.o -o both.o
	builds "7 7" "$cc" both.o -o t
	nm both.o | grep -q 'T __aprof_entry' && fail "-r: the monitor is in the object"
}

# A missing monitor is a link error, not an empty profile.
missing() {
	sources
	for way in fentry cyg; do
		"$cc" --aprof-way=$way -fPIC -c main.c part.c
		mkdir -p none && : >none/aprof-exe.ld && printf '!<arch>\n' >none/libaprof.a && printf '!<arch>\n' >none/libaprof-monitor.so.1
		APROF_LIBDIR=$PWD/none "$cc" --aprof-way=$way main.o part.o -o t 2>/dev/null && fail "$way: links without a monitor"
	done
	APROF_LIBDIR=$PWD/nowhere refuses "no libaprof.a there" "$cc" main.c
}

freestanding() {
	cat >free.c <<-'C'
		void _start(void);
		__attribute__((noinline)) static long leave(long status) {
			long r;
			__asm__ volatile("syscall" : "=a"(r) : "0"(60L), "D"(status) : "rcx", "r11", "memory");
			return r;
		}
		__attribute__((force_align_arg_pointer)) void _start(void) { leave(0); }
	C
	for way in fentry cyg; do
		builds "" "$cc" --aprof-way=$way -O1 -nostdlib -static free.c -o t
		builds "" "$cc" --aprof-way=$way -O1 -nostdlib -pie -fPIE free.c -o t
	done
	builds "" "$cc" -O1 -ffreestanding -nostdlib -static free.c -o t
}

languages() {
	cat >throws.cc <<-'C'
		#include <cstdio>
		__attribute__((noinline)) static void g(int i) { if (i % 2) throw i; }
		__attribute__((noinline)) static void f(int i) { g(i); std::puts("even"); }
		int main() {
			int caught = 0;
			for (int i = 0; i < 10; i++)
				try { f(i); } catch (int) { caught++; }
			return caught == 5 ? 0 : 1;
		}
	C
	builds "21 11" "$cxx" -O1 throws.cc -o t
	builds "21 21" "$cxx" --aprof-way=cyg -O1 throws.cc -o t
	builds "21 11" "$cxx" -O1 -static throws.cc -o t
	command -v gfortran >/dev/null || return
	cat >sum.f90 <<-'F'
		program sum
		  integer :: i, total
		  total = 0
		  do i = 1, 10
		    call add(total, i)
		  end do
		  if (total /= 55) stop 1
		contains
		  subroutine add(t, k)
		    integer, intent(inout) :: t
		    integer, intent(in) :: k
		    t = t + k
		  end subroutine
		end program
	F
	builds "12 12" "$fc" -O0 sum.f90 -o t
	builds "12 12" "$fc" -O0 --aprof-way=cyg sum.f90 -o t
}

# A unit of a module begins with its declaration: before it nothing may be included. main, once and back each once, thrice twice; and what GCC makes to initialise
# modules: of m twice, and one more of each file.
modules() {
	cat >m.cc <<-'C'
		/* A comment, \
		 * then module */ // and another \
		export
		#define THREE 3
		module;
		#include <cstdio>
		export module m;
		export __attribute__((noinline)) int thrice(int x) { asm volatile(""); return THREE * x; }
		export template <class T> __attribute__((noinline)) T once(T x) { asm volatile(""); return x; }
		export int back(int);
	C
	cat >part.cc <<-'C'
		module m;
		__attribute__((noinline)) int back(int x) { asm volatile(""); return -x; }
	C
	cat >short.cc <<-'C'
		export module m;
		export __attribute__((noinline)) int thrice(int x) { asm volatile(""); return 3 * x; }
		export int once(int x);
		export int back(int);
		__attribute__((noinline)) int once(int x) { asm volatile(""); return x; }
	C
	cat >use.cc <<-'C'
		import m;
		int main() { return thrice(1) + thrice(once(2)) + back(9); }
	C
	if gcc -std=c++20 -fmodules-ts -c short.cc 2>/dev/null; then
		want="5 5"
		[ "$(gcc -dumpversion | cut -d. -f1)" -ge 13 ] || want="10 10"		# each unit of a module has an initialiser, which may be empty
		for way in fentry cyg; do
			for o in -O0 -O2 -save-temps -pipe; do
				rm -rf gcm.cache
				builds "$want" "$cxx" --aprof-way=$way -std=c++20 -fmodules-ts $o m.cc part.cc use.cc -o t
				rm -rf gcm.cache
				builds "$want" "$cxx" --aprof-way=$way -std=c++20 -fmodules-ts $o short.cc part.cc use.cc -o t
			done
		done
	fi
	command -v clang++ >/dev/null || return
	export APROF_CXX=clang++
	cp short.cc m.cppm
	interface=m=m.pcm
	[ "$(clang++ -dumpversion | cut -d. -f1)" -ge 16 ] || interface=m.pcm
	if "$cxx" -std=c++20 -O1 --precompile m.cppm -o m.pcm; then
		"$cxx" -std=c++20 -O1 -c m.pcm -o m.o
		builds "5 5" "$cxx" -std=c++20 -O1 -fprebuilt-module-path=. -fmodule-file=$interface m.o part.cc use.cc -o t
	fi
}

# left EXPECTED PROGRAM: it must say that these routines were left out.
left() {
	found=$(objcopy -O binary --only-section=.aprof_left_out --set-section-flags .aprof_left_out=alloc "$2" left.bin 2>/dev/null && tr '\0' ' ' <left.bin)
	rm -f left.bin
	[ "$found" = "$1" ] || fail "$what: $2 says '$found', not '$1'"
}

choice() {
	sources
	builds "2 2" "$cc" -O1 --aprof-only=h main.c part.c -o t
	left "name:f name:main name:g " ./t
	builds "2 2" "$cc" -O1 -pipe --aprof-only=h main.c part.c -o t
	builds "3 3" "$cc" -O1 -flto '--aprof-except=[fh]' main.c part.c -o t
	builds "2 2" "$cc" -O1 --aprof-only=part.c main.c part.c -o t
	left "file:h file:f file:main " ./t
	builds "5 5" "$cc" -O1 --aprof-except=part.c main.c part.c -o t
	left "file:g " ./t
	builds "5 5" "$cc" -O1 -flto --aprof-except=src/part.c "$PWD/main.c" "$PWD/part.c" -o t
	builds "2 2" "$cc" -O1 --aprof-only=main.c --aprof-only=h main.c part.c -o t
	"$cc" -O1 -flto -c --aprof-except=part.c main.c && "$cc" -O1 -flto -c --aprof-except=part.c part.c
	builds "5 5" "$cc" -O1 -flto main.o part.o -o t
	left "file:g " ./t
	for o in "" -pipe -g; do
		"$cc" --aprof-way=cyg -O1 -c main.c && "$cc" --aprof-way=cyg $o -O1 -c --aprof-only=main.c part.c
		builds "5 5" "$cc" --aprof-way=cyg main.o part.o -o t
		left "file:g " ./t
	done
	builds "7 7" "$cc" -O1 --aprof-only=main.c --aprof-only=part.c main.c part.c -o t
	left "" ./t
	"$cc" -O1 --aprof-only=h -c main.c part.c -Wa,--noexecstack
	builds "2 2" "$cc" main.o part.o -o t
	cp part.c left.c && "$cc" -O1 --aprof-only=h -S main.c -o main.s
	builds "2 2" "$cc" -O1 --aprof-only=h main.s left.c -o t
	refuses "cannot choose routines by name" "$cc" --aprof-way=cyg --aprof-only=h -c main.c
}

# same COMMAND-TAIL: the wrapper and the bare compiler end alike and print the same.
same() {
	rm -rf bare wrapped && mkdir bare wrapped
	(cd bare && "$bare" "$@" <../part.c >../bare.out 2>../bare.err; echo $? >>../bare.out; ls) >bare.files
	(cd wrapped && "$wrapper" "$@" <../part.c >../wrapped.out 2>../wrapped.err; echo $? >>../wrapped.out; ls) >wrapped.files
	sed -i 's/cc[A-Za-z0-9]\{6\}\./TEMPORARY./g' bare.err wrapped.err
	cmp -s bare.out wrapped.out || fail "$*: prints $(cat wrapped.out), not $(cat bare.out)"
	cmp -s bare.err wrapped.err || fail "$*: says $(cat wrapped.err), not $(cat bare.err)"
	cmp -s bare.files wrapped.files || fail "$*: leaves $(cat wrapped.files), not $(cat bare.files)"
}

alike() {
	sources
	echo 'int x = ;' >wrong.c
	echo 'int undefined(void); int main(void) { return undefined(); }' >open.c
	echo '-O1 ../part.c "-DTEXT=a b" -E' >args
	echo 'int header(void);' >head.h
	for bare in cc c++; do
		wrapper=$work/bin/aprof-$bare
		for o in "" --version -dumpversion -dumpmachine -print-file-name=libc.a -print-search-dirs "-print-prog-name=ld" \
			--help -v "-E ../part.c" "-M ../part.c" "-MM ../main.c" "-fsyntax-only ../wrong.c" "-c ../wrong.c" \
			"-c ../missing.c" "../missing.o" "-c ../part.c -o" "--no-such-option ../part.c" "-E -x c -" "@../args" \
			"-c ../part.c ../main.c" "-c ../part.c ../main.c -o x.o" "-c -x c - -o s.o" "-c ../part.c -MD -MP" "-Wl,--version" \
			"-save-temps -c ../part.c" "-fstack-usage -c ../part.c" "-c ../part.c -o /no/such/place" "-S ../part.c ../main.c" \
			"-E -dM -x c /dev/null" "-g -gsplit-dwarf -c ../part.c" "-l" "-x" "@../missing" "../head.h -o head.gch" \
			"-Werror -Wall -Wextra -c ../part.c" "-print-multi-lib" "-c"; do
			same $o
		done
	done
	"$cc" open.c 2>undefined.err && fail "an undefined reference links"
	grep -q "undefined reference to .undefined'" undefined.err || fail "undefined: $(cat undefined.err)"
	"$cc" -### main.c part.c 2>dry.err || fail "-### fails"
	grep -q cc1 dry.err && [ ! -e a.out ] || fail "-###: $(cat dry.err)"
	echo '-O1 @inner' >outer
	echo 'main.c "part.c" -o t' >inner
	builds "7 7" "$cc" @outer
	builds "7 7" "$cc" -O1 main.c -x c - -o t <part.c
	printf '.globl g\ng: lea 1(%%rdi),%%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >asm.S
	builds "5 5" "$cc" -O1 main.c asm.S -o t
	refuses "-m32: the monitor is for 64-bit code" "$cc" -m32 -c part.c
	"$cc" -c head.h && "$cc" -include head.h -Winvalid-pch -c part.c 2>pch.err && [ ! -s pch.err ] || fail "pch: $(cat pch.err)"
}

# Which compiler is run, and that the wrapper never runs itself.
found() {
	sources
	APROF_CC="env WORD=1 gcc -DX=1" builds "7 7" "$cc" -O1 main.c part.c -o t
	APROF_CC=no-such-compiler refuses "no such compiler" "$cc" -c main.c
	APROF_CC=$cc refuses "aprof's own wrapper" "$cc" -c main.c
	APROF_CC="env aprof-cc" refuses "aprof's own wrapper" "$cc" -c main.c
	refuses "no C compiler in PATH" env PATH="$work/none" "$cc" -c main.c
	mkdir "$work/masks" && ln -s "$driver" "$work/masks/cc"
	ln -s "$driver" "$work/masks/aprof-cc"
	PATH=$work/masks:$PATH builds "7 7" aprof-cc -O1 main.c part.c -o t
	mkdir "$work/loop" && printf '#!/bin/sh\nexec "%s" "$@"\n' "$cc" >"$work/loop/cc" && chmod +x "$work/loop/cc"
	PATH=$work/loop:$PATH refuses "starts aprof again" "$cc" -c main.c
	printf '#!/bin/sh\necho x >>"%s/starts"\nexec gcc "$@"\n' "$work" >"$work/loop/counted" && chmod +x "$work/loop/counted"
	for i in 1 2 3; do
		APROF_CC=$work/loop/counted "$cc" -c part.c
	done
	[ "$(wc -l <"$work/starts")" = 4 ] || fail "the compiler is asked again: $(wc -l <"$work/starts") starts for 3 compilations"
	XDG_CACHE_HOME=/proc/none builds "7 7" "$cc" -O1 main.c part.c -o t
	HOME= XDG_CACHE_HOME= builds "7 7" "$cc" -O1 main.c part.c -o t
	"$cc" --aprof-verbose -c part.c 2>verbose.err
	grep -q '^aprof: method fentry: ' verbose.err && grep -q -- '-mfentry.* -c part.c$' verbose.err || fail "$(cat verbose.err)"
	"$cc" part.c main.c -o t && (ulimit -c 0; "$cc" --aprof-verbose -E part.c 2>&1 >/dev/null | grep -q 'passed on: nothing') ||
		fail "--aprof-verbose -E"
}

# #include <aprof.h> works by itself, also where the source is only preprocessed; a program's own header of that name goes before, and
# compilers of other languages hear nothing of it.
headers() {
	mkdir lib own && cp -r "$APROF_LIBDIR"/lib* "$APROF_LIBDIR"/aprof-*.ld "$APROF_LIBDIR"/aprof.specs lib
	export APROF_LIBDIR="$PWD/lib"
	cat >asks.c <<-'C'
		#include <aprof.h>
		int main(void) { return OWN; }
	C
	echo '#define OWN 0' >own/aprof.h
	misses_header "$cc" -DOWN=1 -c asks.c
	mkdir lib/include && echo '#define OWN 1' >lib/include/aprof.h
	echo "-c -O1" >words
	for compiler in gcc $(command -v clang); do
		export APROF_CC=$compiler
		for o in -c -E -M -S -fsyntax-only "-xc -c" "-c -MD" @words; do
			quiet "$cc" -Wall -Wextra $o -o out asks.c
		done
		"$cc" asks.c -o t && ./t
		[ $? = 1 ] || fail "$compiler: not aprof's own header"
		for o in "-I own" "-isystem own" "-iquote none -Iown"; do
			quiet "$cc" $o asks.c -o t && counts "1 1" ./t
		done
		quiet env CPATH=own "$cc" asks.c -o t && counts "1 1" ./t
		"$cc" -E asks.c >asks.i
		quiet "$cc" -c asks.i
		misses_header "$cc" -nostdinc -c asks.c
		flags=$("$driver" config --cflags)
		for o in -c -E -M; do
			quiet $compiler -Wall -Wextra $flags $o -o out asks.c
		done
		quiet $compiler $flags -I own -Werror -c asks.c -o own.o
		quiet $compiler $flags own.o -o t && counts "1 1" ./t
		! "$driver" config --libs | grep -q include || fail "$compiler: config --libs has a directory of headers"
	done
	! "$driver" config --fflags | grep -q include || fail "config --fflags has a directory of headers"
	unset APROF_CC
	cp asks.c asks.cc
	quiet "$cxx" -Wall -c asks.cc
	if command -v gdc >/dev/null; then
		echo 'extern (C) int g() { return 1; }' >d.d
		quiet env APROF_CC=gdc "$cc" -c d.d
		quiet env APROF_CC=gdc "$cc" -Iown d.d asks.c -o t
	fi
	if command -v ccache >/dev/null; then
		export CCACHE_DIR="$PWD/cache"
		for i in 1 2; do
			quiet env APROF_CC="ccache gcc" "$cc" -c asks.c -o t.o
			quiet ccache "$cc" -c asks.c -o t.o
		done
	fi
}

# as_without CACHE WORD...: what CACHE gives for `aprof-cc WORD...`, before it or behind it, for the first time and again, is what is made without it.
as_without() {
	cache=$1
	shift
	"$cc" "$@" -c part.c -o without.o || fail "$*"
	for i in 1 2; do
		APROF_CC="$cache ${APROF_CC:-gcc}" quiet "$cc" "$@" -c part.c -o behind.o
		cmp -s without.o behind.o || fail "APROF_CC='$cache ${APROF_CC:-gcc}' aprof-cc $*: an object that was made otherwise ($i)"
		quiet "$cache" "$cc" "$@" -c part.c -o before.o
		cmp -s without.o before.o || fail "APROF_CC=$APROF_CC $cache aprof-cc $*: an object that was made otherwise ($i)"
	done
}

# Start sccache's server, and have it compile.  It asks compilers who they are by what it finds in its own environment: one that a compilation under
# APROF_CC="sccache gcc" starts would be asked by aprof-cc to tell of itself.  A start that timed out on a busy machine, or whose port
# is another's, is tried again elsewhere.
sccache_serves() {
	for try in 1 2 3 4 5; do
		if sccache --start-server >served.out 2>&1; then
			sccache gcc -c part.c -o served.o >served.out 2>&1
			return
		fi
		SCCACHE_SERVER_PORT=$((SCCACHE_SERVER_PORT + 1))
	done
	return 1
}

# A cache that is run before aprof-cc, or by it, does not mix up ways, patterns, compilers and plugins.
caches() {
	sources
	mkdir lib && cp -r "$APROF_LIBDIR"/lib* "$APROF_LIBDIR"/aprof-* "$APROF_LIBDIR"/aprof.specs lib
	cp "$APROF_LIBDIR"/../gcc/aprof_gcc*.so lib 2>/dev/null
	export APROF_LIBDIR="$PWD/lib" CCACHE_DIR="$PWD/ccache" CCACHE_CONFIGPATH=/dev/null SCCACHE_DIR="$PWD/sccache" SCCACHE_SERVER_PORT=$((20000 + $$ % 12000)) SCCACHE_IDLE_TIMEOUT=600
	unset CCACHE_DISABLE CCACHE_DEPEND
	for cache in ccache sccache; do
		command -v $cache >/dev/null || { echo "no $cache here"; continue; }
		[ $cache != sccache ] || sccache_serves || { echo "sccache cannot serve gcc here: $(cat served.out)"; continue; }
		for way in fentry cyg nop; do
			as_without $cache --aprof-way=$way
		done
		for name in g main nobody; do
			as_without $cache --aprof-way=fentry --aprof-only=name:$name
			as_without $cache --aprof-way=fentry --aprof-except=name:$name -fPIC
		done
		for compiler in gcc $(command -v clang); do
			export APROF_CC=$compiler
			as_without $cache --aprof-way=cyg
			unset APROF_CC
		done
		as_without $cache -O1
		for plugin in lib/aprof_gcc*.so; do	# another plugin is another maker
			[ ! -e $plugin ] || echo >>$plugin
		done
		[ $cache != ccache ] || misses=$(ccache --print-stats | sed -n 's/^cache_miss\t//p')
		as_without $cache -O1
		[ $cache != ccache ] || [ ! -e $plugin ] || [ "$(ccache --print-stats | sed -n 's/^cache_miss\t//p')" = $((misses + 2)) ] ||
			fail "ccache knows nothing of the plugin: $(ccache --print-stats)"
	done
	! command -v sccache >/dev/null || sccache --stop-server >/dev/null 2>&1
}

# quiet COMMAND...: it must succeed without a word on stderr.
quiet() {
	what=$*
	"$@" 2>messages >/dev/null || fail "$*: exits with $?: $(cat messages)"
	[ ! -s messages ] || fail "$*: says $(cat messages)"
}

misses_header() {
	"$@" >messages 2>&1 && fail "$*: finds aprof.h"
	grep -q 'aprof\.h' messages || fail "$*: says $(cat messages)"
}

config() {
	flags_carry || exit 77
	sources
	flags=$("$driver" config --cflags) || fail "config --cflags"
	libs=$("$driver" config --libs)
	"$driver" config --version | grep -q '^[0-9]' || fail "config --version"
	[ "$("$driver" config --libdir)" = "$(cd "$APROF_LIBDIR" && pwd -P)" ] || fail "config --libdir"
	refuses "say what" "$driver" config
	refuses "no option --x" "$driver" config --x
	for o in "" -O2 -static "-static-pie -fPIE" "-no-pie -fno-pie" $(with_ld gcc gold); do
		builds "7 7" gcc -O1 $flags $o main.c part.c -o t
		builds "7 7" gcc -O1 $flags $flags $libs $o main.c part.c $libs -o t
		builds "7 7" gcc $("$driver" config --way=cyg --cflags) -O1 $o main.c part.c -o t
	done
	builds "5 5" gcc -O1 -flto $flags main.c part.c -o t
	gcc -O1 $flags -c main.c part.c || fail "config: compile"
	builds "7 7" gcc main.o part.o $libs -o t
	gcc -O1 -fPIC -shared $flags part.c -o libpart.so || fail "config: shared"
	builds "7 7" gcc -O1 $flags main.c ./libpart.so -o t
	builds "2 2" gcc -O1 main.c ./libpart.so -o t
	cp part.c part.cc && sed -i 's/int g/extern "C" int g/' part.cc
	builds "7 7" g++ -O1 $("$driver" config --cxxflags) -x c main.c -x none part.cc -o t
	cp -r "$projects/make/." . && make -s CC=gcc CFLAGS="-O2 $flags" >make.out 2>&1 || fail "make CFLAGS: $(cat make.out)"
	what=make
	counts "31 31" ./main
	command -v clang >/dev/null || return
	flags=$(APROF_CC=clang "$driver" config --cflags)
	clang $flags -O1 -c main.c part.c 2>clang.err && [ ! -s clang.err ] || fail "clang: $(cat clang.err)"
	sources
	builds "7 7" clang -O1 $flags main.c part.c -o t
	builds "7 7" clang $flags $flags -O1 main.c part.c -o t
	clang $flags -O1 -fPIC -shared part.c -o libpart.so
	builds "7 7" clang $flags -O1 main.c ./libpart.so -o t
	builds "2 2" gcc -O1 main.c ./libpart.so -o t
}

pkgconfig() {
	need pkg-config
	flags_carry || exit 77
	sources
	export PKG_CONFIG_PATH="$APROF_LIBDIR/.." APROF_OUT="$work/amon.out"
	makes 7 gcc -O1 main.c part.c $(pkg-config --cflags --libs aprof) -o t
	echo '#include <aprof.h>' >>part.c
	quiet gcc -O1 $(pkg-config --cflags aprof) -c main.c part.c
	mkdir own && echo '#error mine' >own/aprof.h
	gcc $(pkg-config --cflags aprof) -isystem own -c part.c -o own.o 2>messages && fail "pkg-config: the user's own aprof.h is not the first"
	makes 7 gcc main.o part.o $(pkg-config --libs aprof) -o t
}

# A program that goes by all doors that the link leads to the monitor: behind each there must be libc's.
doors() {
	cat >doors.c <<-'C'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>

		static char *args[] = {"true", NULL};
		static void *nothing(void *p) { return p; }

		/* Try to leave with 0. */
		static void leave(int door)
		{
			switch (door) {
			case 0: _exit(0);
			case 1: _Exit(0);
			case 2: execl("/bin/true", "true", NULL); break;
			case 3: execlp("true", "true", NULL); break;
			case 4: execle("/bin/true", "true", NULL, environ); break;
			case 5: execv("/bin/true", args); break;
			case 6: execvp("true", args); break;
			case 7: execve("/bin/true", args, environ); break;
			case 8: execvpe("true", args, environ);
			}
			_exit(1);
		}

		int main(void)
		{
			int status;
			pthread_t t;

			for (int door = 0; door <= 8; door++) {
				if (!fork())
					leave(door);
				if (wait(&status) < 0 || status)
					return 10 + door;
			}
			return prctl(PR_SET_NAME, "doors") || pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
		}
	C
}

# The real monitor in the build directory, if it is there: it has all that the links ask for.
with_monitor() {
	export APROF_LIBDIR="$APROF_LIBDIR/../../inside" APROF_OUT="$work/amon.out"
	[ -e "$APROF_LIBDIR/libaprof.a" ] || exit 77
	unset STUB_OUT
	STUB_OUT=$work/none
	freestanding
	sources
	doors
	for way in fentry cyg; do
		for o in "" -static "-static-pie -fPIE" $(with_ld gcc gold); do
			for hooks in $way nop-$way; do
				builds "" "$cc" --aprof-way=$hooks -O1 $o doors.c -o t
			done
			rm -f "$APROF_OUT"
			builds "" "$cc" --aprof-way=$way -O1 $o main.c part.c -o t
			[ -s "$APROF_OUT" ] || fail "$way $o: no profile"
			rm -f "$APROF_OUT"
			builds "" "$cc" --aprof-way=nop-$way -O1 $o main.c part.c -o t
			[ ! -e "$APROF_OUT" ] || fail "nop-$way $o: a profile"
		done
		"$cc" --aprof-way=$way -O1 -fPIC -shared part.c -o libpart.so
		for by in gcc "$cc"; do
			rm -f "$APROF_OUT"
			builds "" $by main.c ./libpart.so -o t
			[ -s "$APROF_OUT" ] || fail "$way, library, program by $by: no profile"
		done
	done
}

# calls EXPECTED PROGRAM...: run it under the real monitor; it must succeed and have made that many calls.
calls() {
	expected=$1
	shift
	rm -f "$APROF_OUT"
	"$@" >program.out 2>&1 || fail "$what: $* exits with $?: $(cat program.out)"
	found=$(python3 "$projects/../../../../doc/read_amon.py" "$APROF_OUT" 2>/dev/null | awk '{ sum += $1 + $2 } END { print sum + 0 }')
	[ "$found" = "$expected" ] || fail "$what: $* makes $found calls, not $expected"
}

# makes EXPECTED COMMAND...: the command must build ./t, without a word, and that must make so many calls.
makes() {
	want=$1 what=$*
	shift
	rm -f t
	"$@" >build.out 2>&1 || fail "$what: exits with $?"
	[ ! -s build.out ] || fail "$what: says $(cat build.out)"
	calls "$want" ./t
}

# shape EXPECTED WHAT: of each context of the last profile its calls and its depth.
shape() {
	found=$(python3 "$projects/../../../../doc/read_amon.py" "$APROF_OUT" | awk '$1 { print $1 ":" NF - 3 }' | sort | tr '\n' ' ')
	[ "$found" = "$1" ] || fail "$2: the contexts are $found, not $1"
}

# The real monitor and the plugin of the build directory, if they are there.
use_plugin() {
	export APROF_LIBDIR="$APROF_LIBDIR/../../inside" APROF_OUT="$work/amon.out"
	plugin=aprof_gcc$(gcc -dumpversion | cut -d. -f1)
	[ -e "$APROF_LIBDIR/libaprof.a" ] && [ -e "$APROF_LIBDIR/../compile/gcc/$plugin.so" ] || exit 77
}

inline_links() {
	use_plugin
	sources
	for o in "" -O2 -static "-static-pie -fPIE" "-no-pie -fno-pie" -fPIC $(with_ld gcc gold bfd lld) -g "-pg -p" \
		"-Wl,--as-needed" "-Wl,--gc-sections -ffunction-sections" "-fcf-protection -fstack-protector-all" -fno-plt \
		"-fsanitize=address" "-fsanitize=undefined" "-Wl,-z,defs" -fomit-frame-pointer -pipe -save-temps; do
		makes 7 "$cc" -O1 $o main.c part.c -o t
	done
	for o in -O0 -O2 -O3 -Os -Og -Ofast; do
		makes 7 "$cc" $o -fno-inline -fno-ipa-cp main.c part.c -o t
	done
	"$cc" -O1 -c main.c && gcc -O1 -c part.c
	makes 5 "$cc" main.o part.o -o t
	makes 5 "$cc" -O1 -flto main.c part.c -o t
	"$cc" -O1 -flto -c main.c part.c
	makes 5 "$cc" -O1 main.o part.o -o t
	makes 5 "$cc" -static -O1 -flto=auto main.o part.o -o t
	gcc -O1 -flto -c main.c part.c
	makes 5 "$cc" -O1 -flto main.o part.o -o t
	"$cc" -O1 -flto --aprof-way=fentry -c part.c
	makes 5 "$cc" -O1 -flto main.o part.o -o t
	"$cc" -O1 -flto --aprof-way=cyg -c part.c
	refuses "compiled by method cyg" "$cc" -O1 -flto main.o part.o -o t
	"$cc" -O1 -flto -c part.c
	refuses "compiled by method inline" "$cc" -O1 -flto --aprof-way=fentry main.o part.o -o t
	refuses "-m32: the monitor is for 64-bit code" "$cc" -m32 -c part.c
	refuses "links without libc" "$cc" --aprof-way=inline -nostdlib main.c
	refuses "no code for it" "$cc" --aprof-way=inline -mcmodel=large -c main.c
	"$cc" --aprof-verbose -c part.c 2>verbose.err
	grep -q '^aprof: method inline: ' verbose.err && grep -q -- '-fplugin=.* -c part.c$' verbose.err || fail "$(cat verbose.err)"
	if flags_carry; then
		flags=$("$driver" config --cflags) || fail "config --cflags"
		makes 7 gcc -O1 $flags $flags main.c part.c -o t
		makes 5 gcc -O1 $flags -flto main.c part.c -o t
	fi
	echo 'int header(void);' >head.h
	"$cc" -c head.h && "$cc" -include head.h -Winvalid-pch -c part.c 2>pch.err && [ ! -s pch.err ] || fail "pch: $(cat pch.err)"
}

# One monitor, whoever has hooks.
inline_libraries() {
	use_plugin
	sources
	cat >open.c <<-'C'
		#include <dlfcn.h>
		int main(void) {
			void *l = dlopen("./libpart.so", RTLD_NOW);
			int (*g)(int) = l ? (int (*)(int))dlsym(l, "g") : 0;
			return g && g(1) + g(2) == 5 ? 0 : 1;
		}
	C
	"$cc" -O1 -fPIC -shared -Wl,--as-needed part.c -o libpart.so
	readelf -d libpart.so | grep -q TEXTREL && fail "TEXTREL"
	readelf -d libpart.so | grep -q 'NEEDED.*libaprof-monitor.so.1' || fail "the library does not ask for libaprof-monitor.so.1"
	makes 7 "$cc" -O1 main.c ./libpart.so -o t
	makes 7 "$cc" --aprof-way=fentry -O1 main.c ./libpart.so -o t
	makes 3 "$cc" -O1 open.c -o t
	makes 2 gcc -O1 main.c ./libpart.so -o t
	makes 2 gcc -O1 open.c -o t
	"$cc" --aprof-way=fentry -O1 -fPIC -shared part.c -o libpart.so
	makes 7 "$cc" -O1 main.c ./libpart.so -o t
}

# Code that reads the cycle counter.
inline_clock() {
	use_plugin
	sources
	for o in -O0 -Os -static -static-pie "-masm=intel -O2" "-fPIC -O2"; do
		makes 7 "$cc" --aprof-clock=tsc -fno-inline $o main.c part.c -o t
	done
	makes 5 "$cc" --aprof-clock=tsc -O1 -flto main.c part.c -o t
	"$cc" --aprof-clock=tsc -O1 -fPIC -shared part.c -o libpart.so
	makes 7 "$cc" --aprof-clock=tsc -O1 main.c ./libpart.so -o t
	makes 2 gcc -O1 main.c ./libpart.so -o t
	if flags_carry; then
		flags=$("$driver" config --clock=tsc --cflags) || fail "config --clock=tsc"
		makes 7 gcc -O1 $flags main.c part.c -o t
		refuses "is for method inline" "$driver" config --way=cyg --clock=tsc --cflags
	fi
	refuses "is for method inline" "$cc" --aprof-way=fentry --aprof-clock=tsc -c main.c
	refuses "there is tsc" "$cc" --aprof-clock=wall -c main.c
}

# What the plugin proves of its hooks: held, lost by a test's argument, and put right.
inline_verify() {
	use_plugin
	sources
	lose=-fplugin-arg-$plugin-test=lose-exits
	makes 7 "$cc" --aprof-verify -O1 -fno-inline main.c part.c -o t
	"$cc" --aprof-verify=report -O1 -fno-inline -c main.c 2>err
	grep -q '^aprof: main.c: 3 routines checked, 0 not proven$' err || fail "report: $(cat err)"
	cat >tail.c <<-'C'
		__attribute__((noinline, noclone)) double half(double x) { return x / 2; }
		__attribute__((noinline, noclone)) double t(unsigned long x) { return half((double)x); }
		int main(int argc, char **argv) { return t(argc * 6) == 3 && half(argc) < 1 ? 0 : 1; }
	C
	for o in -O2 -Os "-O3 -fPIC" "-O2 -flto" "-O2 -masm=intel" "-O2 -static" "-O2 --aprof-clock=tsc" "-O2 --aprof-sites" \
		"-O2 --aprof-sites --aprof-clock=tsc"; do
		makes 4 "$cc" $lose $o tail.c -o t
		shape "1:1 1:2 2:2 " "$o"
		"$cc" $lose --aprof-verify $o tail.c -o t 2>err && fail "--aprof-verify $o takes it"
		grep -q 'error: aprof: .t.: tail call: the context is not proven' err || fail "$o: $(cat err)"
	done
	"$cc" $lose --aprof-verbose -O2 -c tail.c 2>err
	grep -q '^aprof: tail.c:2: t: tail call: its context is not proven: ' err || fail "verbose: $(cat err)"
	cat >back.cc <<-'C'
		#include <setjmp.h>
		jmp_buf buf;
		__attribute__((noinline, noclone)) void leaf(int i) { asm volatile("" :: "r"(i)); }
		__attribute__((noinline, noclone)) void thrower(int i) { if (i) throw i; leaf(i); }
		__attribute__((noinline, noclone)) void jumper(int i) { if (i) longjmp(buf, i); leaf(i); }
		__attribute__((noinline, noclone)) int t(int i) {
			try { thrower(i); } catch (int) { leaf(1); }
			if (!setjmp(buf)) jumper(i);
			leaf(2);
			return i;
		}
		int main(int argc, char **argv) { return t(argc) == 1 ? 0 : 1; }
	C
	lose=-fplugin-arg-$plugin-test=lose-receivers
	for o in -O0 -O1 -O2 "-O2 -fPIC" "-O1 --aprof-clock=tsc" "-O1 --aprof-sites" "-O1 --aprof-sites --aprof-clock=tsc"; do
		makes 6 "$cxx" $lose $o back.cc -o t
		shape "1:1 1:2 1:3 1:3 2:3 " "$o"
		"$cxx" $lose --aprof-verify $o back.cc -o t 2>err && fail "--aprof-verify $o takes it"
		grep -q 'error: aprof: .*: call: the context is not proven' err || fail "$o: $(cat err)"
		makes 6 "$cxx" --aprof-verify $o back.cc -o t
	done
	cat >upper.c <<-'C'
		void t(short *restrict a, short *restrict b, short *restrict c, short *restrict d)
		{
			for (int i = 0; i < 32; i++)
				if (a[i] < b[i])
					d[i] = c[i];
		}
	C
	"$cc" --aprof-verify -O3 -mavx512bw -c upper.c || fail "vzeroupper, which is called in name only"
	cat >gone.c <<-'C'
		extern void *buf[];
		extern int allowed;
		void work(void);
		void t(void)
		{
			allowed = 1;
			if (__builtin_setjmp(buf) == 0)
				work();
			allowed = 0;
		}
	C
	"$cc" --aprof-verify -O2 -fsanitize=thread -c gone.c || fail "the sanitizer's exit, a tail call: nothing comes back from there to a receiver"
	cat >array.c <<-'C'
		void check(int *a, int n);
		static inline int next(int *a, int *e)
		{
			int *i = e;

			if (a + 1 == e)
				return 0;
			for (i--;;) {
				int *ii = i--;

				if (*i < *ii) {
					int *j = e, t;

					while (!(*i < *--j))
						;
					t = *i, *i = *j, *j = t;
					for (int *l = ii, *r = e - 1; l < r; l++, r--)
						t = *l, *l = *r, *r = t;
					return 1;
				}
				if (i == a)
					return 0;
			}
		}
		void t(void)
		{
			int a[10];

			for (int n = 1; n < 9; n++) {
				for (int i = 0; i < n; i++)
					a[i] = i;
				do
					for (int i = -1; i <= n; i++)
						check(a, i);
				while (next(a, a + n));
			}
		}
	C
	sed 's/t = \*i, .*/*i = 5, *j = 6;/; s/t = \*l, .*/*l = 0, *r = 7;/; s/e, t;/e;/' array.c >constants.c
	for o in -O1 -O2 -O3 -Os; do
		"$cc" --aprof-verify $o -c array.c || fail "$o: stores to an array beside the word that holds the context before the entry"
		"$cc" --aprof-verify $o -c constants.c || fail "$o: the same of constants"
	done
	refuses "there are --aprof-verify" "$cc" --aprof-verify=all -c main.c
	makes 7 "$cc" --aprof-way=fentry --aprof-verify -O1 -fno-inline main.c part.c -o t
}

# Other front ends of GCC's, by the compiler that APROF_CC or APROF_FC names.
inline_languages() {
	use_plugin
	cat >throws.cc <<-'C'
		#include <cstdio>
		__attribute__((noinline)) static void g(int i) { if (i % 2) throw i; }
		__attribute__((noinline)) static void f(int i) { g(i); std::puts("even"); }
		int main() {
			int caught = 0;
			for (int i = 0; i < 10; i++)
				try { f(i); } catch (int) { caught++; }
			return caught == 5 ? 0 : 1;
		}
	C
	makes 21 "$cxx" -O1 throws.cc -o t
	makes 21 "$cxx" -O2 -static throws.cc -o t
	if command -v gfortran >/dev/null; then
		printf 'program p\n integer :: i, t\n t = 0\n do i = 1, 10\n  call add(t, i)\n end do\n if (t /= 55) stop 1\ncontains\n' >sum.f90
		printf ' subroutine add(t, k)\n  integer, intent(inout) :: t\n  integer, intent(in) :: k\n  t = t + k\n end subroutine\nend program\n' >>sum.f90
		makes 12 "$fc" -O0 sum.f90 -o t
		makes 12 "$fc" -O0 -static sum.f90 -o t		# its library locks its files at the end
	fi
	if command -v gdc >/dev/null; then
		cat >sum.d <<-'D'
			extern (C) int add(int t, int k) { pragma(inline, false); return t + k; }
			extern (C) int main() { int t = 0; foreach (i; 1 .. 11) t = add(t, i); return t == 55 ? 0 : 1; }
		D
		APROF_CC=gdc makes 11 "$cc" -O0 -fno-druntime sum.d -o t
	fi
	if command -v gnatbind >/dev/null && [ -x "$(cc -print-prog-name=gnat1)" ]; then
		printf 'procedure Total is\n   T : Integer := 0;\n   procedure Add (K : Integer) is\n   begin\n      T := T + K;\n' >total.adb
		printf '   end Add;\nbegin\n   for I in 1 .. 10 loop\n      Add (I);\n   end loop;\n   if T /= 55 then\n' >>total.adb
		printf '      raise Program_Error;\n   end if;\nend Total;\n' >>total.adb
		"$cc" -O0 -c total.adb || fail "Ada"
		gnatbind total.ali && what=Ada &&
			gnatlink total.ali -o t "--GCC=$cc --aprof-except=file:b~*" >build.out 2>&1 || fail "Ada: $(cat build.out)"
		calls 11 ./t
	fi
}

inline_choice() {
	use_plugin
	sources
	for o in "" -flto; do
		makes 2 "$cc" -O1 $o --aprof-only=h main.c part.c -o t
		makes 3 "$cc" -O1 $o '--aprof-except=[fh]' -fno-inline main.c part.c -o t
		left "name:h name:f " ./t
		makes 5 "$cc" -O1 $o --aprof-except=part.c -fno-inline main.c part.c -o t
		left "file:g " ./t
		makes 2 "$cc" -O1 $o --aprof-only=src/part.c -fno-inline "$PWD/main.c" "$PWD/part.c" -o t
		makes 3 "$cc" -O1 $o --aprof-leaf=9 -fno-inline main.c part.c -o t
		strip t
		left "leaf:h leaf:g " ./t
		"$cc" -O1 $o -fno-inline --aprof-except=h -c main.c && "$cc" -O1 $o -fno-inline -c part.c
		makes 5 "$cc" -O1 $o main.o part.o -o t
	done
	"$cc" -O1 --aprof-except=h -S main.c && "$cc" -O1 main.s part.c -o t
	makes 5 "$cc" -O1 main.s part.c -o t
	left "name:h " ./t
	refuses "wants a number" "$cc" --aprof-leaf=some -c main.c
	refuses "needs method inline" "$cc" --aprof-way=fentry --aprof-leaf=3 -c main.c
	cat >space.cc <<-'C'
		namespace n { __attribute__((noinline)) int f(int x) { return x + 1; } }
		template<class T> __attribute__((noinline)) T g(T x) { return x + 2; }
		int main() { return n::f(1) + g(2) + g(2L) == 10 ? 0 : 1; }
	C
	makes 3 "$cxx" -O1 '--aprof-except=n::*' space.cc -o t
	makes 2 "$cxx" -O1 '--aprof-except=g<*' '--aprof-except=* g<*' space.cc -o t
}

# Each GCC that there is a plugin for, beside the one that is called gcc.
inline_versions() {
	use_plugin
	sources
	others=0
	for file in "$APROF_LIBDIR"/../compile/gcc/aprof_gcc*.so; do
		major=$(basename "$file" .so | tr -dc 0-9)
		[ "aprof_gcc$major" != "$plugin" ] && command -v "gcc-$major" >/dev/null || continue
		others=$((others + 1))
		APROF_CC=gcc-$major "$cc" --aprof-verbose -c part.c 2>verbose.err
		grep -q '^aprof: method inline: ' verbose.err || fail "gcc-$major: $(cat verbose.err)"
		for o in -O1 -O3 "-O2 -fno-inline -fno-ipa-cp" "-O2 -flto" -fPIC -static "-O2 --aprof-verify" "-O2 --aprof-sites" "-O2 --aprof-clock=tsc"; do
			APROF_CC=gcc-$major makes 7 "$cc" -O1 -fno-inline -fno-ipa-cp $o main.c part.c -o t
		done
	done
	[ "$others" != 0 ] || exit 77
}

# Without a plugin for the very compiler way fentry is taken, and said.
inline_missing() {
	use_plugin
	sources
	mkdir none && cp "$APROF_LIBDIR"/lib*.a "$APROF_LIBDIR"/lib*.so.1 "$APROF_LIBDIR"/aprof-*.ld none
	APROF_LIBDIR=$PWD/none "$cc" --aprof-verbose -c part.c 2>verbose.err
	grep -q 'method fentry: aprof was built without its plugin' verbose.err || fail "no plugin: $(cat verbose.err)"
	APROF_LIBDIR=$PWD/none refuses "aprof was built without its GCC plugin" "$cc" --aprof-way=inline -c part.c
	: >"none/$plugin.so"
	APROF_LIBDIR=$PWD/none "$cc" --aprof-verbose -c part.c 2>verbose.err
	grep -q "method fentry: aprof's plugin (method inline) is for another" verbose.err || fail "wrong plugin: $(cat verbose.err)"
	APROF_LIBDIR=$PWD/none refuses "no method inline: " "$cc" --aprof-way=inline -c part.c
	cp "$APROF_LIBDIR"/../compile/gcc/aprof_gcc*.so none
	APROF_LIBDIR=$PWD/none "$cc" --aprof-verbose -c part.c 2>&1 | grep -q 'method inline' || fail "a new plugin is not tried"
	command -v clang >/dev/null || return
	APROF_CC=clang makes 7 "$cc" -O1 main.c part.c -o t
}

# The real monitor and the plugin for Clang, if they are there.
use_llvm() {
	clang=${CLANG:-clang} clangxx=$(echo "${CLANG:-clang}" | sed s/clang/clang++/)
	need "$clang" "$clangxx"
	export APROF_LIBDIR="$APROF_LIBDIR/../../inside" APROF_OUT="$work/amon.out" APROF_CC="$clang" APROF_CXX="$clangxx"
	version=$("$clang" -dumpversion | cut -d. -f1)
	plugin=aprof_llvm$version
	[ -e "$APROF_LIBDIR/libaprof.a" ] && [ -e "$APROF_LIBDIR/../compile/llvm/$plugin.so" ] || exit 77
}

llvm_links() {
	use_llvm
	sources
	"$cc" --aprof-verbose -c part.c 2>verbose.err
	grep -q '^aprof: method inline: ' verbose.err && grep -q -- '-fpass-plugin=.* -c part.c$' verbose.err || fail "$(cat verbose.err)"
	for o in "" -O2 -static "-static-pie -fPIE" "-no-pie -fno-pie" -fPIC $(with_ld "$clang" gold lld) -g "-pg" "-Wl,--as-needed" "-Wl,--gc-sections -ffunction-sections" \
		"-fcf-protection -fstack-protector-all" -fno-plt "-Wl,-z,defs" -fomit-frame-pointer -pipe -save-temps -masm=intel -mcmodel=large \
		"-mllvm -enable-machine-outliner" "-mllvm -hot-cold-split" "-mllvm -ir-outliner" -fbasic-block-sections=all; do
		makes 7 "$cc" --aprof-verify -O1 $o main.c part.c -o t
	done
	for o in -O0 -O2 -O3 -Os -Oz -Og; do
		makes 7 "$cc" --aprof-verify $o -fno-inline main.c part.c -o t
	done
	"$cc" -O1 -c main.c && "$clang" -O1 -c part.c
	makes 5 "$cc" main.o part.o -o t
	"$cc" --aprof-way=cyg -O1 -c part.c
	makes 7 "$cc" main.o part.o -o t
	"$cc" -O1 -S main.c && "$cc" -O1 -c -emit-llvm part.c && "$cc" -O1 -c main.s && "$clang" -O1 -c part.bc
	makes 7 "$cc" main.o part.o -o t
	APROF_CC=gcc "$cc" -O1 -c part.c
	makes 7 "$cc" main.o part.o -o t
	"$clang" -O1 -emit-llvm -c part.c && "$cc" -O1 -c part.bc		# of whatever front end
	makes 7 "$cc" -O1 main.c part.o -o t
	"$cc" -O1 -emit-llvm -c part.c && "$cc" -O1 -c part.bc
	makes 7 "$cc" -O1 main.c part.o -o t
	for o in -mcmodel=medium -mcmodel=large; do
		"$cc" $o --aprof-verbose -O1 -c part.c 2>verbose.err
		grep -q -e "^aprof: method cyg: ${o%=*}=*: " verbose.err || fail "$o: $(cat verbose.err)"
		refuses "method inline" "$cc" $o --aprof-way=inline -c part.c
	done
	refuses "links without libc" "$cc" --aprof-way=inline -nostdlib main.c
	echo 'int header(void);' >head.h
	"$cc" -c head.h && "$cc" -include head.h -Winvalid-pch -c part.c 2>pch.err && [ ! -s pch.err ] || fail "pch: $(cat pch.err)"
}

# What looks at a program's code or counts in it has its own put in, and sees none of the hooks'.
llvm_sanitizers() {
	use_llvm
	sources
	for o in -fsanitize=address -fsanitize=undefined -fsanitize=thread -fsanitize=memory -fsanitize=leak --coverage "-fprofile-instr-generate -fcoverage-mapping" \
		-fprofile-generate -fsanitize=safe-stack "-fsanitize=address -fsanitize-coverage=trace-pc-guard,trace-cmp"; do
		"$clang" $o main.c part.c -o bare 2>/dev/null && ./bare >/dev/null 2>&1 || continue	# there may be no library for it
		makes 7 "$cc" --aprof-verify -O1 -g $o main.c part.c -o t
		makes 7 "$cc" --aprof-verify -O0 $o main.c part.c -o t
	done
}

# A shared library of Clang's has the program's monitor, whoever compiled that.
llvm_libraries() {
	use_llvm
	sources
	"$cc" --aprof-verify -O1 -fPIC -shared -Wl,--as-needed part.c -o libpart.so
	readelf -d libpart.so | grep -q TEXTREL && fail "TEXTREL"
	makes 7 "$cc" -O1 main.c ./libpart.so -o t
	makes 2 "$clang" -O1 main.c ./libpart.so -o t
	APROF_CC=gcc makes 7 "$cc" -O1 main.c ./libpart.so -o t
}

llvm_choice() {
	use_llvm
	sources
	makes 2 "$cc" -O1 --aprof-only=h main.c part.c -o t
	makes 3 "$cc" -O1 '--aprof-except=[fh]' -fno-inline main.c part.c -o t
	left "name:f name:h " ./t
	makes 5 "$cc" -O1 --aprof-except=part.c -fno-inline main.c part.c -o t
	left "file:g " ./t
	makes 3 "$cc" -O1 --aprof-leaf=9 -fno-inline main.c part.c -o t
	strip t
	left "leaf:h leaf:g " ./t
	refuses "wants a number" "$cc" --aprof-leaf=some -c main.c
	cat >naked.c <<-'C'
		__attribute__((naked)) int bare(void) { __asm__("movl $0, %eax; ret"); }
		int main(void) { return bare(); }
	C
	makes 1 "$cc" -O1 naked.c -o t
	left "naked:bare " ./t
	cat >space.cc <<-'C'
		namespace n { __attribute__((noinline)) int f(int x) { return x + 1; } }
		template<class T> __attribute__((noinline)) T g(T x) { return x + 2; }
		int main() { return n::f(1) + g(2) + g(2L) == 10 ? 0 : 1; }
	C
	makes 3 "$cxx" -O1 '--aprof-except=n::*' space.cc -o t
	makes 7 "$cc" --aprof-clock=tsc --aprof-verify -O2 -fno-inline main.c part.c -o t
	makes 7 "$cc" --aprof-sites --aprof-verify -O2 -fno-inline main.c part.c -o t
	makes 7 "$cc" --aprof-sites --aprof-clock=tsc --aprof-verify -O0 -fPIC main.c part.c -o t
	"$cc" --aprof-layout=1 -c part.c -o one.o && "$cc" --aprof-layout=2 -c part.c -o two.o && ! cmp -s one.o two.o || fail "layout"
}

# What the plugin proves: held, lost by a test's argument, and put right.
llvm_verify() {
	use_llvm
	sources
	test=-fplugin-arg-$plugin-test
	"$cc" --aprof-verify=report -O1 -fno-inline -c main.c 2>err
	grep -q '^aprof: main.c: 3 routines checked, 0 not proven$' err || fail "report: $(cat err)"
	cat >tail.c <<-'C'
		struct large { long w[9]; };
		__attribute__((noinline)) long take(struct large l) { __asm__ volatile("" : : : "memory"); return l.w[0]; }
		__attribute__((noinline)) long one(long x) { __asm__ volatile("" : "+r"(x)); return x; }
		__attribute__((noinline)) long t(long x) { return one(x + 1); }
		__attribute__((noinline)) long large(long x) { struct large l = { { x } }; return take(l); }
		int main(int argc, char **argv) { return t(argc) + large(argc) == 3 ? 0 : 1; }
	C
	makes 5 "$cc" --aprof-verify -O2 tail.c -o t
	shape "1:1 1:2 1:2 1:2 1:3 " "tail calls"
	for o in -O2 -Os "-O3 -fPIC" "-O2 -static" "-O2 --aprof-clock=tsc" "-O2 --aprof-sites"; do
		makes 5 "$cc" $test=lose-exits $o tail.c -o t
		shape "1:1 1:2 1:2 1:2 1:3 " "$o, an exit lost"
		"$cc" $test=lose-exits --aprof-verify $o tail.c -o t 2>err && fail "--aprof-verify $o takes it"
		grep -q "error: aprof: 't': tail call: the context is not proven" err || fail "$o: $(cat err)"
		makes 5 "$cc" $test=trust-tails $o tail.c -o t
		shape "1:1 1:2 1:2 1:2 1:3 " "$o, a call taken for a jump"
		"$cc" $test=trust-tails --aprof-verify $o tail.c -o t 2>err && fail "--aprof-verify $o takes a call for a jump"
		grep -q "error: aprof: 'large': call: the context is not proven" err || fail "$o: $(cat err)"
	done
	# Calls before returns that the code generator keeps: it pops what nobody takes from the x87's stack, and may have aligned its own for a vector.
	cat >kept.c <<-'C'
		typedef double vector __attribute__((vector_size(32)));
		long double wide(long x);
		double take(double x);
		void call(double x);
		void drops(long x) { (void)wide(x + 1); }
		double part(vector v, int i, int c) {
			double x = v[i];
			if (c) { call(x); x = v[(i + c) & 3]; if (x == c) { call(c); return take(x + 1); } call(x); }
			return take(x);
		}
	C
	for o in -O1 -O2 "-O3 -fPIC" -Os; do
		"$cc" --aprof-verify $o -mavx -c kept.c 2>err || fail "$o: a call taken for a jump: $(cat err)"
	done
	cat >elsewhere.c <<-'C'
		struct large { long w[9]; };
		long __take(struct large l);
		long large(long x) { struct large l = { { x } }; return __take(l); }
	C
	"$cc" $test=trust-tails --aprof-verify -O2 -c elsewhere.c 2>err && fail "a call of what may have hooks is taken for one of the code generator's"
	# Its caller wants all registers kept, and hooks that are called do not keep all.
	cat >keeps.c <<-'C'
		struct large { long w[9]; };
		void take(struct large l);
		__attribute__((preserve_most)) void keeps(long x) { struct large l = { { x } }; take(l); }
	C
	"$cc" --aprof-verify -O2 -c keeps.c || fail "preserve_most"
	"$cc" $test=trust-tails -O2 -c keeps.c 2>err && fail "hooks are called that lose a register of the caller's"
	grep -q "error: aprof: 'keeps': call: the context is not proven" err || fail "preserve_most: $(cat err)"
	"$cc" $test=lose-exits --aprof-verbose -O2 -c tail.c 2>err
	grep -q '^aprof: .*tail.c.*: t: tail call: its context is not proven: its hooks are called' err || fail "verbose: $(cat err)"
	cat >back.cc <<-'C'
		#include <setjmp.h>
		jmp_buf buf;
		__attribute__((noinline)) void leaf(int i) { asm volatile("" :: "r"(i)); }
		__attribute__((noinline)) void thrower(int i) { if (i) throw i; leaf(i); }
		__attribute__((noinline)) void jumper(int i) { if (i) longjmp(buf, i); leaf(i); }
		__attribute__((noinline)) int t(int i) {
			try { thrower(i); } catch (int) { leaf(1); }
			if (!setjmp(buf)) jumper(i);
			leaf(2);
			return i;
		}
		int main(int argc, char **argv) { return t(argc) == 1 ? 0 : 1; }
	C
	for o in -O0 -O1 -O2 "-O2 -fPIC" "-O1 --aprof-clock=tsc" "-O1 --aprof-sites"; do
		makes 6 "$cxx" $test=lose-receivers $o back.cc -o t
		shape "1:1 1:2 1:3 1:3 2:3 " "$o"
		"$cxx" $test=lose-receivers --aprof-verify $o back.cc -o t 2>err && fail "--aprof-verify $o takes it"
		grep -q 'error: aprof: .*: call: the context is not proven' err || fail "$o: $(cat err)"
		makes 6 "$cxx" --aprof-verify $o back.cc -o t
	done
	llvm_coroutine
}

# What a coroutine is made of has hooks, and is called by whoever resumes it.  Clang 14 does not know the header.
llvm_coroutine() {
	traps=$projects/../../../../tests/traps
	echo '#include <coroutine>' | "$clangxx" -std=c++20 -fsyntax-only -xc++ - 2>/dev/null || return 0
	makes 19 "$cxx" --aprof-verify -O2 -std=c++20 -I"$traps" "$traps/07-coroutine.cc" -o t
	shape "1:1 6:2 6:3 6:4 " "a coroutine"
}

# stands ROUTINE...: in the code of each there is the probe, no hook is called, and each way out has its exit behind the last call.
stands() {
	for routine; do
		objdump -d --no-show-raw-insn t | awk -v begin="<$routine>:" '$2 == begin { on = 1; next } /^$/ { on = 0 } on' >code
		grep -q 'incq\|addq *\$0x1,' code && ! grep -q __cyg_profile code && awk '/%r[a-z0-9]*,%fs:/ { left = 1 } /call/ { left = 0 } /ret/ && !left { wrong = 1 }
			END { exit wrong }' code || fail "$what: $routine is $(cat code)"
	done
}

# Link-time optimisation by lld, which loads the plugin from version 15 on: the hooks come after inlining across files.
llvm_lto() {
	use_llvm
	sources
	"$cc" -flto --aprof-verbose -O1 -c part.c 2>verbose.err
	if grep -q '^aprof: method cyg: -flto: .* wants an ld.lld of Clang' verbose.err; then
		refuses "method inline by Clang wants an ld.lld" "$cc" -flto --aprof-way=inline -c part.c
		! "$clang" -flto -fuse-ld=lld main.c part.c -o t 2>/dev/null || makes 7 "$cc" -O1 -flto -fuse-ld=lld main.c part.c -o t
		return
	fi
	grep -q '^aprof: method inline: ' verbose.err || fail "$(cat verbose.err)"
	for o in "-flto -O2" "-flto=thin -Os" "-flto=thin -O2 -static" "-flto -O2 --aprof-clock=tsc" "-flto=thin -O2 --aprof-sites"; do
		"$cc" --aprof-verify $o -c main.c part.c
		makes 5 "$cc" --aprof-verify $o main.o part.o -o t
		shape "1:1 2:2 2:3 " "$o"
		stands f main
	done
	makes 7 "$cc" --aprof-verify -flto -O0 main.c part.c -o t
	"$cc" -O2 -flto=thin -c main.c part.c && ar rcs libpart.a part.o
	makes 5 "$cc" -fuse-ld=lld main.o -L. -lpart -o t
	"$clang" -fuse-ld=lld -flto=thin main.o part.o -o t 2>err && fail "a link leaves the hooks out"
	grep -q 'undefined.*: aprof_hooks_come_by_ld_lld_with_its_plugin' err || fail "without the plugin: $(cat err)"
	cat >tail.c <<-'C'
		__attribute__((noinline)) int one(int x) { __asm__ volatile("" : "+r"(x)); return x; }
		int t(int x) { return one(x + 1); }
	C
	"$cc" -O2 -flto=thin -shared -fPIC --aprof-verify -Xlinker -plugin-opt=-pass-through=aprof:test=lose-exits tail.c -o libtail.so 2>err && fail "what the linker makes is not proven"
	grep -q "aprof: 't': tail call: the context is not proven" err || fail "not proven: $(cat err)"
	makes 3 "$cc" -O2 -flto --aprof-except=f main.c part.c -o t
	left "name:f " ./t
	"$cc" -O2 -flto -fPIC -shared part.c -o libpart.so
	makes 7 "$cc" -O2 -flto=thin main.c ./libpart.so -o t
}

# late WHAT ROUTINE...: each makes its frame behind the instruction WHAT, so not where it is entered.
late() {
	behind=$1
	shift
	for routine; do
		objdump -d --no-show-raw-insn t | awk -v begin="<$routine>:" '$2 == begin { on = 1; next } /^$/ { on = 0 } on' >code
		awk -v behind="$behind" '$0 ~ behind { met = 1 } /push|sub .*,%rsp/ { made = 1; wrong = !met; exit } END { exit wrong || !made }' code ||
			fail "$what: the frame of $routine is not made behind $behind: $(cat code)"
	done
}

# Frames that are made behind the entry's hook, on one path alone (shrink-wrapping): that is decided behind the hooks.  Clang 14 makes none behind what loads from
# memory, as the hook does, so there the same routines have theirs where they are entered.
llvm_wrapped() {
	use_llvm
	test=-fplugin-arg-$plugin-test shape="10:2 10:3 10:3 10:3 10:3 10:3 1:1 5:3 5:4 5:4 "
	cat >wrapped.cc <<-'C'
		#define N extern "C" __attribute__((noinline))
		#define SAVED asm volatile("" : : : "rbx", "memory")
		struct large { long w[9]; };
		N long leaf(long x) { asm volatile("" : "+r"(x) : : "memory"); return x; }
		N __attribute__((preserve_most)) void take(large) { asm volatile("" : : : "memory"); }
		N long saves(long n) { if (n <= 0) return 5; SAVED; return n + 1; }
		N long array(long n) { if (n <= 0) return 5; volatile long b[99]; b[n] = n; return b[n]; }
		N long jumps(long n) { if (n <= 0) return 5; SAVED; return leaf(n); }
		N void calls(long n) { if (n <= 0) return; large l = { { n } }; take(l); }
		N long throws(long n) { if (n <= 0) return 5; char b[300]; asm volatile("" : : "r"(b) : "memory"); if (leaf(n) == 7) SAVED; throw n; }
		N long all(long n) { calls(n); return saves(n) + array(n) + jumps(n) + throws(n); }
		int main() {
			long caught = 0;
			for (long i = 0; i < 10; i++)
				try { all(i % 2); } catch (long n) { caught += n; }
			return caught == 5 ? 0 : 1;
		}
	C
	what=bare
	"$clangxx" -O2 wrapped.cc -o t
	late '\tj[a-z]+ ' saves array jumps calls throws
	for o in -O2 -O3 "-O2 -fPIC" "-O2 -fno-omit-frame-pointer" -Os "-O2 --aprof-clock=tsc" "-O2 --aprof-sites"; do
		makes 76 "$cxx" --aprof-verify $o wrapped.cc -o t
		shape "$shape" "$o"
		case $o in
		-Os | *aprof*) ;;		# where it is often not worth while
		*) [ "$version" -lt 19 ] || late '%r[a-z0-9]*,%fs:' saves array jumps calls throws ;;
		esac
	done
	for wrong in "trust-tails calls call" "lose-exits jumps tail.call"; do
		set -- $wrong
		"$cxx" $test=$1 --aprof-verify -O2 wrapped.cc -o t 2>err && fail "--aprof-verify takes $1"
		grep -q "error: aprof: '$2': $3: the context is not proven" err || fail "$1: $(cat err)"
		makes 76 "$cxx" $test=$1 -O2 wrapped.cc -o t
		shape "$shape" "$1"
	done
}

# Calls before a return that the code generator makes jumps, or does not, for each of its reasons: eighteen routines, and what they call.
llvm_tails() {
	use_llvm
	cat >tails.c <<-'C'
		#include <alloca.h>
		#include <stdarg.h>
		#define N __attribute__((noinline))
		#define K(x) __asm__ volatile("" : "+r"(x) : : "memory")
		struct large { long w[9]; };
		typedef long vector __attribute__((vector_size(32)));
		N long one(long x) { K(x); return x; }
		N long eight(long a, long b, long c, long d, long e, long f, long g, long h) { K(a); return a + h - b; }
		N struct large give(long x) { struct large l = { { x } }; K(x); return l; }
		N long take(struct large l) { K(l.w[1]); return l.w[0]; }
		N long named(int n, ...) { va_list l; va_start(l, n); long x = va_arg(l, long); va_end(l); K(x); return x; }
		N long use(void *p) { K(p); return *(char *)p; }
		N double real(double x) { __asm__ volatile("" : "+x"(x)); return x; }
		N _Bool odd(long x) { K(x); return x & 1; }
		N vector wide(vector v) { __asm__ volatile("" : : : "memory"); return v; }
		static long (*volatile pointer)(long) = one;

		N long t_plain(long x) { return one(x); }
		N long t_aligned(long x) { _Alignas(64) char b[64]; b[0] = x; use(b); return one(x); }
		N long t_dynamic(long x) { char *b = alloca(x + 8); b[0] = x; use(b); return one(x); }
		N long t_array(long x) { char b[100]; b[0] = x; use(b); return one(x); }
		N long t_eight(long x) { return eight(x, x, x, x, x, x, x, x); }
		N long t_named(long x) { return named(1, x); }
		N long t_variadic(int n, ...) { return one(n); }
		N struct large t_give(long x) { return give(x); }
		N long t_take(long x) { struct large l = { { x } }; return take(l); }
		N long t_pointer(long x) { return pointer(x); }
		N long t_must(long x) { __attribute__((musttail)) return one(x); }
		N int t_narrow(long x) { return one(x); }
		N void t_nothing(long x) { one(x); }
		N double t_real(double x) { return real(x); }
		N _Bool t_odd(long x) { return odd(x); }
		N long t_either(long x) { return x & 1 ? one(x) : eight(x, x, x, x, x, x, x, x); }
		__attribute__((noinline, force_align_arg_pointer)) long t_realigned(long x) { return one(x); }
		N long t_vector(long x) { vector v = { x, x, x, x }; v = wide(v); return one(v[2]); }
		int main(int argc, char **argv) {
			long x = argc;
			t_nothing(x);
			return t_plain(x) + t_aligned(x) + t_dynamic(x) + t_array(x) + t_eight(x) + t_named(x) + t_variadic(1, x) + t_give(x).w[0] + t_take(x) + t_pointer(x) +
				t_must(x) + t_narrow(x) + (long)t_real(x) + t_odd(x) + t_either(x) + t_realigned(x) + t_vector(x) == 17 ? 0 : 1;
		}
	C
	for o in -O0 -O1 -O2 -O3 -Oz "-O2 -mstackrealign" "-O2 -fstack-protector-all" "-O2 -fstack-protector-strong" "-O2 -mavx2" "-O2 -fno-omit-frame-pointer" \
		"-O2 -fPIC -mno-red-zone" "-O2 -mlvi-hardening" "-O2 -mseses" "-O2 -fno-plt -fPIE -fcf-protection" "-O2 -fno-optimize-sibling-calls" "-O2 -fsanitize=safe-stack" "-O2 --aprof-clock=tsc" \
		"-O2 --aprof-sites"; do
		echo 'int main(void) { return 0; }' | "$clang" $(echo "$o" | sed 's/--aprof[^ ]*//') -xc - -o bare 2>/dev/null || continue
		makes 41 "$cc" --aprof-verify -Wno-unused-command-line-argument -Wno-psabi $o tails.c -o t
		case $o in
		-O0 | *-fno-optimize*)	# where one call alone is a jump
			shape "1:1 $(yes '1:2 ' | head -19 | tr -d '\n')$(yes '1:3 ' | head -21 | tr -d '\n')" "$o" ;;
		esac
	done
	makes 41 "$cc" --aprof-verify -Wno-psabi -Os -mllvm -enable-machine-outliner -mllvm -hot-cold-split tails.c -o t
}

# What comes back, or leaves, by no return; resolvers; variables of fixed size.
llvm_ways_out() {
	use_llvm
	cat >jump.c <<-'C'
		#define N __attribute__((noinline))
		static void *place[5];
		N void leaf(int i) { __asm__ volatile("" : : "r"(i)); }
		N void jump(int i) { leaf(i); if (i) __builtin_longjmp(place, 1); }
		N void handled(int i) { leaf(i); __asm__ volatile(""); }
		N int t(int i) { if (!__builtin_setjmp(place)) jump(i); else handled(i); leaf(i); return i; }
		int main(int argc, char **argv) { return t(argc) == 1 ? 0 : 1; }
	C
	cat >resolver.c <<-'C'
		static int first(void) { return 1; }
		static int (*pick(void))(void) { int (*p)(void) = first; __asm__("" : "+r"(p)); return p; }
		int f(void) __attribute__((ifunc("pick")));
		int main(void) { return f() == 1 ? 0 : 1; }
	C
	for o in -O0 -O2 "-Os -fPIC" "-O2 -static --aprof-clock=tsc" "-O1 --aprof-sites"; do
		makes 7 "$cc" --aprof-verify $o jump.c -o t
		shape "1:1 1:2 1:3 1:3 1:3 1:4 1:4 " "$o, __builtin_setjmp"
		makes 2 "$cc" --aprof-verify $o resolver.c -o t
		shape "1:1 1:2 " "$o, a resolver"
	done
	cat >fixed.c <<-'C'
		__attribute__((noinline)) long use(char *b) { __asm__ volatile("" : "+r"(b) : : "memory"); return b[1]; }
		static long inlined(long x) { char b[300]; b[1] = x; return use(b); }
		__attribute__((noinline)) long fixed(long x) { char b[200]; b[1] = x; return x > 5 ? inlined(x) + 1 : use(b) + 1; }
		int main(int argc, char **argv) { return fixed(argc) == 2 ? 0 : 1; }
	C
	makes 3 "$cc" --aprof-verify -O2 fixed.c -o t
	objdump -d --no-show-raw-insn t | awk '$2 == "<fixed>:" { on = 1 } /^$/ { on = 0 } on' | grep -q 'mov *%rsp,%rbp' && fail "variables of fixed size are in a frame of changing size"
	stands fixed
}

# By a profile of the program: cold parts far from the rest, and functions split before that.
llvm_profile() {
	use_llvm
	merge=$(command -v "/usr/lib/llvm-$version/bin/llvm-profdata" "llvm-profdata-$version" llvm-profdata | head -n 1)
	need "${merge:-llvm-profdata}"
	cat >cold.cc <<-'C'
		#include <stdlib.h>
		#define N __attribute__((noinline))
		static long sum;
		N void leaf(int i) { asm volatile("" : : "r"(i)); }
		N void thrower(int i) { leaf(i); if (i % 2) throw i; }
		N void seldom(int i) { leaf(i); }
		N long both(int i) {
			if (__builtin_expect(i < 0, 0)) {
				try { thrower(i); } catch (int) { seldom(i); sum += i; }
				seldom(i + 1);
				if (i == -7) return 3;
				seldom(i + 2);
			}
			leaf(i);
			return sum += i;
		}
		int main(int argc, char **argv) {
			for (int i = 0; i < 1000; i++) both(i);
			if (argc > 1) for (int i = 7; i < 9; i++) both(-i);
			return sum == 499500 || argc > 1 ? 0 : 1;
		}
	C
	"$clangxx" -O2 -fprofile-instr-generate cold.cc -o bare 2>/dev/null && LLVM_PROFILE_FILE=raw ./bare && "$merge" merge -o data raw || { echo "no profile by $clangxx here"; return; }
	for o in "" -fsplit-machine-functions "-mllvm -hot-cold-split" "-fsplit-machine-functions -fPIC -ffunction-sections" "-fsplit-machine-functions --aprof-clock=tsc"; do
		"$cxx" --aprof-verify -O2 -fprofile-instr-use=data $o cold.cc -o t || fail "$o"
		what=$o
		case $o in
		-fsplit*) nm t | grep -q '_Z4bothi\.cold' || fail "$o: nothing is cold" ;;
		esac
		rm -f "$APROF_OUT"
		./t cold
		shape "1002:2 1005:3 1:1 2:3 2:4 4:3 " "$o"		# leaf is jumped to by seldom
	done
}

# flang, which marks no routines, and knows no plugin's arguments.
llvm_fortran() {
	use_llvm
	flang=$(for name in flang-new-$version flang-$version; do command -v $name; done | head -n 1)
	need "${flang:-flang-$version}"
	export APROF_FC="$flang"
	cat >sum.f90 <<-'F'
		module parts
		contains
		  recursive integer function depth(n) result(r)
		    integer, intent(in) :: n
		    r = 0
		    if (n > 0) r = depth(n - 1) + 1
		  end function
		  subroutine add(t, k)
		    integer, intent(inout) :: t
		    integer, intent(in) :: k
		    t = t + k
		  end subroutine
		end module
		program sum
		  use parts
		  integer :: i, total
		  total = 0
		  do i = 1, 10
		    call add(total, i)
		  end do
		  if (total /= 55 .or. depth(4) /= 4) stop 1
		  print *, total
		end program
	F
	for o in -O0 "-O0 --aprof-sites" "-O0 --aprof-clock=tsc" "-O0 -fPIC" "-O0 -g"; do
		makes 17 "$fc" --aprof-verify $o sum.f90 -o t
	done
	"$fc" -O0 -c sum.f90 && makes 17 "$fc" sum.o -o t
	makes 7 "$fc" -O0 '--aprof-except=*add*' sum.f90 -o t
	left "name:_QMpartsPadd " ./t
	"$fc" --aprof-verify -O2 sum.f90 -o t || fail "-O2"
	refuses "has hooks by method inline alone" "$fc" --aprof-way=cyg -c sum.f90
	refuses "use aprof-flang" "$driver" config --fflags
}

# D by ldc2: its IR, of which Clang of the same LLVM makes code with hooks, as doc/man/aprof-cc.1 has it.
llvm_d() {
	use_llvm
	need ldc2
	ldc2 --version | grep -q "LLVM $version\." || { echo "ldc2 is of another LLVM than $clang"; exit 77; }
	cat >d.d <<-'D'
		int leaf(int i) { pragma(inline, false); return i + 1; }
		int thrower(int i) { pragma(inline, false); if (i % 2) throw new Exception("odd"); return leaf(i); }
		T twice(T)(T x) { pragma(inline, false); return x + x; }
		int main() {
			int caught;
			foreach (i; 0 .. 10) { try thrower(i); catch (Exception) caught += leaf(0); }
			return caught == 5 && twice(2) == 4 && twice(2.5) == 5 ? 0 : 1;
		}
	D
	ldc2 -O2 -g --output-bc -of=d.bc d.d && "$cc" --aprof-verify -O1 -c d.bc -o d.o && ldc2 --gcc="$cc" -of=t d.o || fail "ldc2"
	what=ldc2
	rm -f "$APROF_OUT"
	./t || fail "a program of D's exits with $?"
	shape "10:2 10:2 1:1 1:1 1:2 1:2 " "D"		# main and D's main; thrower, which jumps to leaf
}

project_make() {
	cp -r "$projects/make/." .
	what=make
	make -s CC="$cc" >make.out 2>&1 || fail "make: $(cat make.out)"
	counts "31 31" ./main
	make -s clean >/dev/null 2>&1
	rm -f main *.o *.a *.so
	make -s CC="$cc" CFLAGS="-O2 --aprof-way=cyg" >make.out 2>&1 || fail "make: $(cat make.out)"
	counts "31 31" ./main
}

project_cmake() {
	need cmake
	what=cmake
	mkdir build && cd build || exit 1
	cmake -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$projects/cmake" >cmake.out 2>&1 || fail "cmake: $(cat cmake.out)"
	grep -q 'compiler identification is GNU' cmake.out || fail "cmake takes the wrapper for something else: $(cat cmake.out)"
	cmake --build . >cmake.out 2>&1 || fail "cmake: $(cat cmake.out)"
	counts "11 10" ./main
}

project_autoconf() {
	need autoconf
	what=configure
	cp -r "$projects/autoconf/." . && autoconf || fail "autoconf"
	./configure CC="$cc" >configure.out 2>&1 || fail "configure: $(cat configure.out)"
	make -s >make.out 2>&1 || fail "make: $(cat make.out)"
	counts "2 2" ./main
}

"$group"
[ "$failures" = 0 ]

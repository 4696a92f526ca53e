/* test_plan.c - command lines and the real commands that must result.
 *
 * Capital words stand for the groups of words that the wrapper adds; they are spelled out once, below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/plan.h"

#define WHOLLY "-fno-partial-inlining "
#define FENTRY "-pg -mfentry -mfentry-name=__aprof_entry -minstrument-return=call " WHOLLY
#define CYG "-finstrument-functions -fno-omit-frame-pointer " WHOLLY
#define BODY CYG "-mno-red-zone -idirafter /lib/aprof -include aprof-cyg.h " CALLS
#define LATE "-finstrument-functions-after-inlining -fno-omit-frame-pointer "
#define WRAP "-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit "
#define OPTIONS "-Wl,@/lib/aprof/aprof-exe.ld "
#define HOOKS "-Wl,-u,aprof_monitor,-u,__aprof_entry,-u,__return__,-u,__cyg_profile_func_enter,-u,__monstartup "
#define STATIC "-Wl,--eh-frame-hdr,-e,aprof_static_entry -Wl,-u,dlclose,-u,longjmp,-u,_longjmp,-u,siglongjmp,-u,__longjmp_chk,-u,setcontext,-u,swapcontext,-u,sigaltstack,-u,pthread_exit,"\
	"-u,__pthread_unwind_next,-u,__pthread_register_cancel,-u,__pthread_register_cancel_defer,-u,_Unwind_SetIP,-u,_Unwind_GetCFA,-u,_Unwind_GetGR,"\
	"-u,_exit,-u,_Exit,-u,execve,-u,execv,-u,execvp,-u,execvpe,-u,fexecve,-u,execl,-u,execlp,-u,execle,-u,prctl "
#define THREADS "-Wl,-u,pthread_once,-u,pthread_getspecific,-u,pthread_setspecific,-u,pthread_create,-u,pthread_join,-u,pthread_equal,-u,pthread_self,-u,pthread_detach" \
	",-u,sched_yield,-u,pthread_mutex_lock,-u,pthread_mutex_trylock,-u,pthread_mutex_timedlock,-u,pthread_mutex_unlock,-u,pthread_mutex_i" \
	"nit,-u,pthread_mutex_destroy,-u,pthread_cond_init,-u,pthread_cond_broadcast,-u,pthread_cond_signal,-u,pthread_cond_wait,-u,pthread_cond_timedwait,-u,p" \
	"thread_cond_destroy,-u,pthread_key_delete,-u,pthread_mutexattr_init,-u,pthread_mutexattr_settype,-u,pthread_mutexattr_destroy,-u,sched_get_priority_ma" \
	"x,-u,sched_get_priority_min,-u,pthread_getschedparam,-u,pthread_setschedparam,-u,pthread_attr_init,-u,pthread_attr_destroy,-u,pthread_attr_setdetachst" \
	"ate" " "
#define NOP_WORDS "-Wl,--export-dynamic-symbol=aprof_tls "
#define WORDS NOP_WORDS "-Wl,-u,aprof_names -Xlinker /lib/aprof/libaprof_names.a "
#define RUNTIME NOP_WORDS "-Wl,-u,aprof_names,-u,aprof_names_runtime -Xlinker /lib/aprof/libaprof_names.a "
#define SWITCHES "-Wl,@/lib/aprof/aprof-switches.ld "
#define FIXED OPTIONS HOOKS "-Xlinker /lib/aprof/libaprof.a " STATIC THREADS SWITCHES
#define EXE OPTIONS HOOKS "-Xlinker /lib/aprof/libaprof.a " WORDS SWITCHES
#define NOP_EXE OPTIONS HOOKS "-Xlinker /lib/aprof/libaprof_nop.a " NOP_WORDS
#define FREE_EXE "-Wl,--defsym=__real_exit=aprof_monitor,--defsym=__real_swapcontext=aprof_monitor," \
	"--defsym=__real_vfork=aprof_monitor,--defsym=__real_dlclose=aprof_monitor," \
	"--defsym=__real_unshare=aprof_monitor,--defsym=__real_setns=aprof_monitor,--defsym=__real_mlockall=aprof_monitor," \
	"--defsym=__real_sigaction=aprof_monitor,--defsym=__real_signal=aprof_monitor " HOOKS "-Xlinker /lib/aprof/libaprof_nop.a "
#define SHARED_AS(name) "-Xlinker --push-state -Xlinker --no-as-needed -Xlinker /lib/aprof/" name \
	" -Xlinker --pop-state -Xlinker -rpath -Xlinker /lib/aprof "
#define LIBRARY "-Wl,-u,aprof_library -Xlinker /lib/aprof/libaprof_library.a "
#define SHARED OPTIONS LIBRARY SHARED_AS("libaprof-monitor.so.1")
#define BESIDE OPTIONS SHARED_AS("libaprof-monitor.so.1") SWITCHES	/* a program whose monitor is shared */
#define STEPS "-wrapper /bin/aprof,cc-step,--key=k,--write-hooks "	/* way fentry, for a program */
#define CALLS "-wrapper /bin/aprof,cc-step,--key=k "
#define MARKS "-wrapper /bin/aprof,cc-step,--key=k,--mark-left-out "	/* no hooks, but for a mark */
#define BOTH "-wrapper /bin/aprof,cc-step,--key=k,--write-hooks,--mark-left-out "

#define PLUGIN "-fplugin=/lib/aprof/aprof_gcc12.so "
#define INLINE PLUGIN WHOLLY
#define ARGUMENT "-fplugin-arg-aprof_gcc12-"
#define LLVM_PLUGIN "-fplugin=/lib/aprof/aprof_llvm14.so -fpass-plugin=/lib/aprof/aprof_llvm14.so "
#define MARKED "-Xclang -finstrument-functions-after-inlining "
#define LLVM LLVM_PLUGIN MARKED
#define LLVM_ARGUMENT "-fplugin-arg-aprof_llvm14-"
#define LATER LLVM LLVM_ARGUMENT "lto=yes "		/* the linker makes the code */
#define LOADS "-Xlinker --load-pass-plugin=/lib/aprof/aprof_llvm14.so "
#define LINKER_ARGUMENT "-Xlinker -plugin-opt=-pass-through=aprof:"
#define FLANG "-fpass-plugin=/lib/aprof/aprof_llvm14.so -Xflang -D__aprof__marks=none "

static const struct ability gcc = {.fentry = true}, old_gcc = {0}, clang = {.late = true},
	plugged = {.fentry = true, .plugs = true, .plugin = "/lib/aprof/aprof_gcc12.so"},
	other = {.fentry = true, .plugin = "/lib/aprof/aprof_gcc12.so"}, go = {.fentry = true, .switches = true},
	llvm = {.late = true, .plugs = true, .plugin = "/lib/aprof/aprof_llvm14.so"},
	other_llvm = {.late = true, .plugin = "/lib/aprof/aprof_llvm14.so"},
	lld_too = {.late = true, .plugs = true, .linker = true, .plugin = "/lib/aprof/aprof_llvm14.so"},
	flang = {.flang = true, .plugs = true, .plugin = "/lib/aprof/aprof_llvm14.so"}, other_flang = {.flang = true};

/* A command line, its words parted by blanks, and what is passed to the compiler. */
struct row {
	const struct ability *ability;	/* of the compiler */
	const char *words;		/* given */
	const char *expected;		/* real; "error: TEXT": the start of the error */
};

static const struct row rows[] = {
	/* Nothing is compiled or linked: not a word is added. */
	{&gcc, "", ""},
	{&gcc, "-v", "-v"},
	{&gcc, "--version", "--version"},
	{&gcc, "-print-file-name=libc.a", "-print-file-name=libc.a"},
	{&gcc, "-dumpmachine a.c", "-dumpmachine a.c"},
	{&gcc, "-Wl,--version", "-Wl,--version"},
	{&gcc, "-E a.c", "-E a.c"},
	{&gcc, "-M a.c", "-M a.c"},
	{&gcc, "-E -c a.c", "-E -c a.c"},
	{&gcc, "-fsyntax-only a.c", "-fsyntax-only a.c"},
	{&gcc, "a.c -o", "a.c -o"},

	/* Compile. */
	{&gcc, "-c a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "-flto -c a.c", FENTRY "-flto -c a.c"},
	{&gcc, "-fPIE -fPIC -c a.c", FENTRY CALLS "-fPIE -fPIC -c a.c"},
	{&gcc, "-fPIC -fPIE -c a.c", FENTRY STEPS "-fPIC -fPIE -c a.c"},
	{&gcc, "-fpic -c a.c", FENTRY CALLS "-fpic -c a.c"},
	{&gcc, "-shared a.c", FENTRY CALLS SHARED "-shared a.c"},
	{&gcc, "-masm=intel -c a.c", CYG "-masm=intel -c a.c"},
	{&gcc, "--aprof-way=fentry -masm=intel -c a.c", FENTRY CALLS "-masm=intel -c a.c"},
	{&gcc, "--aprof-way=fentry -mcmodel=large -c a.c", "error: -mcmodel=large: method fentry has no code"},
	{&gcc, "-wrapper x -c a.c", FENTRY "-wrapper x -c a.c"},
	{&gcc, "-c a.c -o b.o -MD -MF x.d", FENTRY STEPS "-c a.c -o b.o -MD -MF x.d"},
	{&gcc, "-S a.cc", FENTRY STEPS "-S a.cc"},
	{&gcc, "-c -x c -", FENTRY STEPS "-c -x c -"},
	{&gcc, "-c -xc -", FENTRY STEPS "-c -xc -"},
	{&old_gcc, "-c a.c", CYG "-c a.c"},
	{&clang, "-c a.c", LATE "-c a.c"},
	{&gcc, "-c a.s", "-c a.s"},
	{&old_gcc, "-c a.s", "-c a.s"},
	{&gcc, "a.h", FENTRY "a.h"},
	{&gcc, "-x c-header a.c", FENTRY "-x c-header a.c"},
	{&gcc, "-c -mcmodel=large a.c", CYG "-c -mcmodel=large a.c"},
	{&gcc, "-c -ffreestanding a.c", "-c -ffreestanding a.c"},
	{&gcc, "-c -m32 a.c", "error: -m32: the monitor is for 64-bit code"},
	{&gcc, "-c -m32 -m64 a.c", FENTRY STEPS "-c -m32 -m64 a.c"},
	{&clang, "-c --target=aarch64-linux-gnu a.c", "error: --target=aarch64-linux-gnu: the monitor is for 64-bit code of x86"},
	{&clang, "-c -target i386-linux-gnu a.c", "error: i386-linux-gnu: the monitor is for 64-bit code of x86"},
	{&clang, "-c -target arm --target=x86_64-linux-gnu a.c", LATE "-c -target arm --target=x86_64-linux-gnu a.c"},
	{&clang, "-c --target=arm -ffreestanding a.c", "-c --target=arm -ffreestanding a.c"},

	/* Hooks of the program's own. */
	{&gcc, "-c -finstrument-functions a.c", FENTRY STEPS "-c -finstrument-functions a.c"},
	{&gcc, "-finstrument-functions a.o", FENTRY EXE "-finstrument-functions a.o"},
	{&old_gcc, "-c -finstrument-functions a.c", "error: -finstrument-functions: method cyg"},
	{&old_gcc, "-finstrument-functions a.o", "error: -finstrument-functions: method cyg"},
	{&old_gcc, "-c -finstrument-functions -fno-instrument-functions a.c",
	 CYG "-c -finstrument-functions -fno-instrument-functions a.c"},
	{&clang, "-c -finstrument-functions-after-inlining a.c", "error: -finstrument-functions: method cyg"},
	{&gcc, "-E -m32 a.c", "-E -m32 a.c"},

	/* Words that would disturb the hooks go; values of options are left alone. */
	{&gcc, "-c -pg -p a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "-c a.c -o -pg", FENTRY STEPS "-c a.c -o -pg"},
	{&gcc, "-c -fomit-frame-pointer a.c", FENTRY STEPS "-c a.c"},
	{&clang, "-c -fomit-frame-pointer a.c", LATE "-c a.c"},
	{&gcc, "-E -pg a.c", "-E -pg a.c"},

	/* Link an executable. */
	{&gcc, "a.c", FENTRY STEPS EXE "a.c"},
	{&gcc, "a.c b.o -o a -lm", FENTRY STEPS EXE "a.c b.o -o a -lm"},
	{&go, "a.o", FENTRY OPTIONS HOOKS "-Xlinker /lib/aprof/libaprof.a " RUNTIME SWITCHES "a.o"},
	{&go, "-static-libgo a.o", FENTRY EXE "-static-libgo a.o"},
	{&go, "-static-libphobos a.o", FENTRY EXE "-static-libphobos a.o"},
	{&go, "-static a.o", FENTRY FIXED "-static a.o"},
	{&go, "-shared a.o", FENTRY SHARED "-shared a.o"},
	{&gcc, "a.o b.a", FENTRY EXE "a.o b.a"},
	{&gcc, "-lmain", FENTRY EXE "-lmain"},
	{&gcc, "-l main", FENTRY EXE "-l main"},
	{&gcc, "-static a.o", FENTRY FIXED "-static a.o"},
	{&gcc, "-### a.o", FENTRY EXE "-### a.o"},
	{&old_gcc, "a.o", WRAP EXE "a.o"},
	{&clang, "a.c", LATE WRAP EXE "a.c"},
	{&gcc, "-nostdlib crt1.o a.o -lc", FENTRY EXE "-nostdlib crt1.o a.o -lc"},
	{&gcc, "-nostdlib a.o /usr/lib/libc.a", FENTRY EXE "-nostdlib a.o /usr/lib/libc.a"},
	{&gcc, "-nostdlib a.o", FENTRY FREE_EXE "-nostdlib a.o"},

	{&gcc, "-Wl,-E,--version-script,x a.o", FENTRY EXE "-Wl,-E,--version-script,x a.o"},
	{&gcc, "-Wl,--version-script=../a/long/path/to/it a.o", FENTRY EXE "-Wl,--version-script=../a/long/path/to/it a.o"},
	{&old_gcc, "-Wl,-E,--version-script,x a.o", WRAP BESIDE "-Wl,-E,--version-script,x a.o"},
	{&old_gcc, "-Wl,--version-script=../a/long/path/to/it a.o", WRAP BESIDE "-Wl,--version-script=../a/long/path/to/it a.o"},
	{&clang, "-Xlinker --exclude-libs=ALL a.o", WRAP BESIDE "-Xlinker --exclude-libs=ALL a.o"},
	{&gcc, "-Xlinker --exclude-libs=ALL a.o", FENTRY EXE "-Xlinker --exclude-libs=ALL a.o"},
	{&gcc, "-static-pie -Wl,--exclude-libs,ALL a.o", FENTRY FIXED "-static-pie -Wl,--exclude-libs,ALL a.o"},
	{&gcc, "-Wl,--version-scripting a.o", FENTRY EXE "-Wl,--version-scripting a.o"},

	/* Link a shared library, or one object. */
	{&gcc, "-shared a.o -o a.so", FENTRY SHARED "-shared a.o -o a.so"},
	{&gcc, "-Wl,-shared a.o", FENTRY SHARED "-Wl,-shared a.o"},
	{&gcc, "-Wl,-z,now,-Bshareable a.o", FENTRY SHARED "-Wl,-z,now,-Bshareable a.o"},
	{&gcc, "-shared -nostdlib a.o", FENTRY SHARED "-shared -nostdlib a.o"},
	{&clang, "-shared a.o", WRAP SHARED "-shared a.o"},
	{&gcc, "-r a.o b.o -o c.o", FENTRY "-r a.o b.o -o c.o"},
	{&gcc, "-Xlinker -r a.o", FENTRY "-Xlinker -r a.o"},

	/* Ways. */
	{&gcc, "--aprof-way=cyg -c a.c", BODY "-c a.c"},
	{&gcc, "--aprof-way=cyg -pipe -c a.cc", BODY "-c a.cc"},
	{&gcc, "--aprof-way=cyg -c a.c b.cc", BODY "-c a.c b.cc"},
	{&old_gcc, "--aprof-way=cyg -c a.c", CYG "-c a.c"},
	{&gcc, "--aprof-way=cyg -S a.c", CYG "-S a.c"},
	{&gcc, "--aprof-way=cyg -fgnu-tm -c a.c", CYG "-DAPROF_TRANSACTIONS -idirafter /lib/aprof -include aprof-cyg.h -fgnu-tm -c a.c"},
	{&gcc, "--aprof-way=cyg -c a.f90", CYG "-c a.f90"},
	{&gcc, "--aprof-way=cyg -c a.c b.f90", CYG "-c a.c b.f90"},
	{&gcc, "--aprof-way=cyg -flto -c a.c", CYG "-flto -c a.c"},
	{&gcc, "--aprof-way=cyg -masm=intel -c a.c", CYG "-masm=intel -c a.c"},
	{&gcc, "--aprof-way=cyg -wrapper x -c a.c", CYG "-wrapper x -c a.c"},
	{&gcc, "--aprof-way=cyg -E a.c", "-E a.c"},
	{&gcc, "--aprof-way=cyg a.h", CYG "a.h"},
	{&clang, "--aprof-way=cyg -c a.c", LATE "-c a.c"},
	{&gcc, "--aprof-way=fentry a.o", FENTRY EXE "a.o"},
	{&clang, "--aprof-way=fentry -c a.c", "error: /bin/cc has no method fentry"},
	{&clang, "--aprof-way=fentry -E a.c", "-E a.c"},
	{&gcc, "a.c --aprof-way=nop", FENTRY CALLS NOP_EXE "a.c"},
	{&gcc, "a.c --aprof-way=nop-cyg", BODY WRAP NOP_EXE "a.c"},
	{&gcc, "-shared --aprof-way=nop-fentry a.o", FENTRY OPTIONS SHARED_AS("libaprof_nop.so.1") "-shared a.o"},
	{&gcc, "--aprof-way=no a.c", "error: no method 'no'"},
	{&gcc, "--aprof-whatever a.c", "error: --aprof-whatever: no such option"},
	{&gcc, "--aprof-way fentry a.c", "error: --aprof-way: needs a value"},

	/* Way inline: the best that there is; the plugin chooses by itself, so link-time optimisation stays. */
	{&plugged, "-c a.c", INLINE "-c a.c"},
	{&plugged, "a.c", INLINE EXE "a.c"},
	{&plugged, "a.o -flto", INLINE EXE "a.o -flto"},
	{&plugged, "-shared a.o", INLINE SHARED "-shared a.o"},
	{&plugged, "-Wl,--version-script=x a.o", INLINE EXE "-Wl,--version-script=x a.o"},
	{&plugged, "-c -pg -p -fomit-frame-pointer a.c", INLINE "-c -fomit-frame-pointer a.c"},
	{&plugged, "-c -ffreestanding a.c", "-c -ffreestanding a.c"},
	{&plugged, "-c -m32 a.c", "error: -m32: the monitor is for 64-bit code"},
	{&plugged, "-c -mcmodel=large a.c", CYG "-c -mcmodel=large a.c"},
	{&plugged, "--aprof-way=inline -c -mcmodel=large a.c", "error: -mcmodel=large: method inline has no code"},
	{&plugged, "-nostdlib a.o", FENTRY FREE_EXE "-nostdlib a.o"},
	{&plugged, "--aprof-way=inline -nostdlib a.o", "error: method inline needs libc's threads"},
	{&plugged, "--aprof-way=fentry -c a.c", FENTRY STEPS "-c a.c"},
	{&plugged, "a.c --aprof-way=nop", FENTRY CALLS NOP_EXE "a.c"},
	{&gcc, "--aprof-way=inline -c a.c", "error: no method inline: aprof was built without its GCC plugin"},
	{&other, "--aprof-way=inline -c a.c", "error: no method inline: /bin/cc does not take /lib/aprof/aprof_gcc12.so"},
	{&other, "-c a.c", FENTRY STEPS "-c a.c"},
	{&plugged, "--aprof-only=f* --aprof-except=b.c -flto -c a.c b.c",
	 INLINE ARGUMENT "except-file=b.c " ARGUMENT "only-name=f* -flto -c a.c b.c"},
	{&plugged, "--aprof-except=a.c --aprof-leaf=8 -c a.c",
	 INLINE ARGUMENT "except-file=a.c " ARGUMENT "leaf=8 -c a.c"},
	{&plugged, "--aprof-switch=jump --aprof-only=file:x a.o", INLINE ARGUMENT "only-file=x " ARGUMENT "switch=jump " EXE "a.o"},
	{&gcc, "--aprof-switch=jump -c a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "--aprof-leaf=8 -c a.c", "error: --aprof-leaf needs method inline, and this is method fentry"},
	{&plugged, "--aprof-clock=tsc --aprof-leaf=8 -c a.c", PLUGIN ARGUMENT "clock=tsc " WHOLLY ARGUMENT "leaf=8 -c a.c"},
	{&plugged, "--aprof-clock=tsc a.o -flto", PLUGIN ARGUMENT "clock=tsc " WHOLLY EXE "a.o -flto"},
	{&plugged, "--aprof-clock=tsc -E a.c", "-E a.c"},
	{&plugged, "--aprof-clock=tsc --aprof-way=cyg -c a.c", "error: --aprof-clock=tsc is for method inline, and this is method cyg (asked for)"},
	{&gcc, "--aprof-clock=tsc -c a.c", "error: --aprof-clock=tsc is for method inline, and this is method fentry (aprof was built without"},
	{&plugged, "--aprof-sites -c a.c", PLUGIN ARGUMENT "sites=yes " WHOLLY "-c a.c"},
	{&plugged, "--aprof-sites a.o -flto", PLUGIN ARGUMENT "sites=yes " WHOLLY EXE "a.o -flto"},
	{&plugged, "--aprof-sites --aprof-way=fentry -c a.c", "error: --aprof-sites is for method inline, and this is method fentry (asked for)"},
	{&plugged, "--aprof-sites --aprof-clock=tsc -c a.c", PLUGIN ARGUMENT "clock=tsc " ARGUMENT "sites=yes " WHOLLY "-c a.c"},
	{&plugged, "--aprof-callers -c a.c", "-fno-optimize-sibling-calls " INLINE "-c a.c"},
	{&gcc, "--aprof-callers -c a.c", "-fno-optimize-sibling-calls " FENTRY STEPS "-c a.c"},
	{&gcc, "--aprof-callers a.o", "-fno-optimize-sibling-calls " FENTRY EXE "a.o"},
	{&gcc, "--aprof-callers -E a.c", "-E a.c"},
	{&plugged, "--aprof-sites=yes -c a.c", "error: --aprof-sites=yes: no such option"},
	{&plugged, "--aprof-clock=tick -c a.c", "error: --aprof-clock=tick: there is tsc"},
	{&plugged, "--aprof-leaf=0 -c a.c", "error: --aprof-leaf=0: it wants a number"},
	{&plugged, "--aprof-switch= -c a.c", "error: --aprof-switch= wants the name"},

	/* The same by Clang: its objects may be of way cyg, too, where the command asks for what the plugin cannot do. */
	{&llvm, "-c a.c", LLVM "-c a.c"},
	{&llvm, "-c -fomit-frame-pointer a.c", LLVM "-c -fomit-frame-pointer a.c"},
	{&llvm, "-c a.s", "-c a.s"},
	{&llvm, "a.c", LLVM WRAP EXE "a.c"},
	{&llvm, "a.o", WRAP EXE "a.o"},
	{&llvm, "-Wl,--version-script=x a.o", WRAP EXE "-Wl,--version-script=x a.o"},
	{&llvm, "-shared a.o", WRAP SHARED "-shared a.o"},
	{&llvm, "-c -flto a.c", LATE "-c -flto a.c"},
	{&llvm, "-c -flto=thin -fomit-frame-pointer a.c", LATE "-c -flto=thin a.c"},
	{&llvm, "-c -flto -fno-lto a.c", LLVM "-c -flto -fno-lto a.c"},
	{&llvm, "--aprof-way=inline -c -flto a.c", "error: -flto: its code is made at the link"},
	{&llvm, "-c -mcmodel=large a.c", LATE "-c -mcmodel=large a.c"},
	{&llvm, "-c -mcmodel=medium a.c", LATE "-c -mcmodel=medium a.c"},
	{&llvm, "--aprof-way=inline -c -mcmodel=large a.c", "error: -mcmodel=: method inline by Clang has no code"},
	{&llvm, "--aprof-way=inline -nostdlib a.o", "error: method inline needs libc's threads"},
	{&llvm, "-nostdlib a.o", WRAP FREE_EXE "-nostdlib a.o"},
	{&llvm, "--aprof-way=cyg -c a.c", LATE "-c a.c"},
	{&llvm, "a.c --aprof-way=nop", LATE WRAP NOP_EXE "a.c"},
	{&llvm, "-c -finstrument-functions a.c", LLVM "-c -finstrument-functions a.c"},
	{&llvm, "-c -finstrument-functions-after-inlining a.c", "error: -finstrument-functions-after-inlining: by Clang"},
	{&llvm, "--aprof-only=f* --aprof-except=b.c -c a.c b.c", LLVM LLVM_ARGUMENT "except-file=b.c " LLVM_ARGUMENT "only-name=f* -c a.c b.c"},
	{&llvm, "--aprof-leaf=8 --aprof-verify -c a.c", LLVM LLVM_ARGUMENT "leaf=8 " LLVM_ARGUMENT "verify=error -c a.c"},
	{&llvm, "--aprof-clock=tsc --aprof-sites -c a.c", LLVM_PLUGIN LLVM_ARGUMENT "clock=tsc " LLVM_ARGUMENT "sites=yes " MARKED "-c a.c"},
	{&llvm, "--aprof-clock=tsc -c -flto a.c", "error: --aprof-clock=tsc is for method inline, and this is method cyg (-flto:"},
	{&llvm, "--aprof-callers -c a.c", "-fno-optimize-sibling-calls " LLVM "-c a.c"},
	{&lld_too, "-c -flto a.c", LATER "-c -flto a.c"},
	{&lld_too, "-c -flto=thin -fuse-ld=lld a.c", LATER "-c -flto=thin -fuse-ld=lld a.c"},
	{&lld_too, "-c -flto -fuse-ld=gold a.c", LATE "-c -flto -fuse-ld=gold a.c"},
	{&lld_too, "--aprof-way=inline -c -flto -fuse-ld=gold a.c", "error: -flto: its code is made at the link"},
	{&lld_too, "-flto a.c", LATER WRAP EXE "-fuse-ld=lld " LOADS "-flto a.c"},
	{&lld_too, "-flto a.o", WRAP EXE "-fuse-ld=lld " LOADS "-flto a.o"},
	{&lld_too, "-flto -fuse-ld=/opt/ld.lld a.o", WRAP EXE LOADS "-flto -fuse-ld=/opt/ld.lld a.o"},
	{&lld_too, "-flto --ld-path=/opt/ld.lld -shared a.o", WRAP SHARED LOADS "-flto --ld-path=/opt/ld.lld -shared a.o"},
	{&lld_too, "-fuse-ld=lld a.o", WRAP EXE LOADS "-fuse-ld=lld a.o"},
	{&lld_too, "-fuse-ld=gold a.o", WRAP EXE "-fuse-ld=gold a.o"},
	{&lld_too, "a.o", WRAP EXE "a.o"},
	{&lld_too, "--aprof-way=cyg -flto a.o", WRAP EXE "-flto a.o"},
	{&lld_too, "--aprof-sites --aprof-clock=tsc --aprof-verify -flto a.o", WRAP EXE "-fuse-ld=lld " LOADS LINKER_ARGUMENT "verify=error " LINKER_ARGUMENT "clock=tsc "
		LINKER_ARGUMENT "sites=yes -flto a.o"},
	{&clang, "--aprof-way=inline -c a.c", "error: no method inline: aprof was built without its plugin for LLVM"},
	{&other_llvm, "--aprof-way=inline -c a.c", "error: no method inline: /bin/cc does not take /lib/aprof/aprof_llvm14.so"},
	{&other_llvm, "-c a.c", LATE "-c a.c"},

	/* flang: it marks no routines, and calls no hooks. */
	{&flang, "-c a.f90", FLANG "-c a.f90"},
	{&flang, "--aprof-clock=tsc --aprof-leaf=3 -c a.f90", "-fpass-plugin=/lib/aprof/aprof_llvm14.so -Xflang -D__aprof__clock=tsc -Xflang -D__aprof__marks=none -Xflang -D__aprof__leaf=3 -c a.f90"},
	{&flang, "a.o", WRAP OPTIONS HOOKS "-Wl,/lib/aprof/libaprof.a " NOP_WORDS "-Wl,-u,aprof_names -Wl,/lib/aprof/libaprof_names.a " SWITCHES "a.o"},
	{&flang, "--aprof-way=cyg -c a.f90", "error: /bin/cc has hooks by method inline alone"},
	{&flang, "--aprof-way=nop a.f90", "error: /bin/cc has hooks by method inline alone"},
	{&other_flang, "-c a.f90", "error: /bin/cc: no plugin of aprof's for its LLVM"},

	/* Choice of files and routines. */
	{&gcc, "--aprof-only=a.c -c src/a.c", FENTRY STEPS "-c src/a.c"},
	{&gcc, "--aprof-only=a.c -c b.c", MARKS "-c b.c"},
	{&gcc, "--aprof-way=cyg --aprof-only=a.c -c b.c", MARKS "-c b.c"},
	{&gcc, "--aprof-only=a.c -wrapper x -c b.c", "-wrapper x -c b.c"},
	{&gcc, "--aprof-except=src/ -c src/a.c -flto", MARKS "-c src/a.c"},
	{&gcc, "--aprof-except=src/ -pipe src/a.c", MARKS EXE "src/a.c"},
	{&clang, "--aprof-except=src/ -c src/a.c", "-c src/a.c"},
	{&gcc, "--aprof-except=b.c -c a.c b.c -flto", FENTRY BOTH "-c a.c b.c"},
	{&gcc, "--aprof-except=main -flto=4 a.c", FENTRY STEPS EXE "a.c"},
	{&gcc, "--aprof-only=f* -c a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "--aprof-only=f* a.o", FENTRY EXE "a.o"},
	{&clang, "--aprof-only=f* -c a.c", "error: method cyg cannot choose routines"},
	{&clang, "--aprof-only=a.c -c a.c b.c", "error: method cyg cannot leave out some files"},
	{&gcc, "--aprof-only=f -pipe -c a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "-pipe -c a.c", FENTRY STEPS "-c a.c"},
	{&gcc, "--aprof-only=f* -wrapper x -c a.c", "error: -wrapper is taken"},
	{&gcc, "--aprof-only= -c a.c", "error: --aprof-only= wants a pattern"},
};

static const struct surroundings around = {.compiler = "/bin/cc", .libdir = "/lib/aprof", .self = "/bin/aprof", .key = "k"};

/* TEXT without the patterns on their way to compiler_step, which test_select looks at. */
static void cut_patterns(char *text)
{
	char *begin = text ? strstr(text, ",--chosen=") : NULL;

	if (begin)
		memmove(begin, begin + 1 + strcspn(begin + 1, ", "), strlen(begin + 1 + strcspn(begin + 1, ", ")) + 1);
}

/* The command of ROW, or its error. The caller frees it. */
static char *outcome(const struct row *row)
{
	struct surroundings here = around;
	struct list words = {0}, command = {0};
	struct plan plan = {0};
	struct error err = {0};
	char *text;

	here.ability = *row->ability;
	list_add_words(&words, row->words);
	if (plan_read(&plan, words.items ? words.items : (char *[]){NULL}, &err) &&
	    (!plan_is_ours(&plan) || plan_make(&plan, &here, &err))) {
		list_add_all(&command, plan.before.items);
		list_add_all(&command, plan.given.items);
		text = list_join(&command, " ", false);
		cut_patterns(text);
	} else if (asprintf(&text, "error: %s", err.text) < 0) {
		text = NULL;
	}
	list_free(&words);
	list_free(&command);
	plan_free(&plan);
	return text;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = outcome(&rows[i]);

		if (!strncmp(rows[i].expected, "error: ", strlen("error: ")) && text)
			text[strnlen(text, strlen(rows[i].expected))] = '\0';
		if (!text || strcmp(text, rows[i].expected))
			fail_msg("%s\n  gave %s\n  not  %s", rows[i].words, text, rows[i].expected);
		free(text);
	}
}

static void write_file(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Response files: passed on as they are, unless a word in one must go. */
static void test_response_files(void **state)
{
	static const struct row files[] = {
		{&gcc, "@inner", FENTRY STEPS "@inner"},
		{&gcc, "@outer -O2", FENTRY SHARED "@outer -O2"},
		{&gcc, "-c @profiled", FENTRY STEPS "-c a b.c"},
		{&gcc, "-E @profiled", "-E @profiled"},
		{&gcc, "-c @chosen", BODY "-c x.c"},
		{&gcc, "-c a.c @missing", FENTRY STEPS "-c a.c @missing"},
		{&gcc, "@self", "error: more than 2000 response files"},
	};
	char directory[] = "/tmp/aprof-test-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	write_file("inner", "-c 'a file.c'\n");
	write_file("outer", "-shared\n@nested");
	write_file("nested", "a.o\tb.o");
	write_file("profiled", "-pg a\\ b.c");
	write_file("chosen", "--aprof-way=cyg x.c");
	write_file("self", "a.c @self");
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *text = outcome(&files[i]);

		assert_non_null(text);
		text[strnlen(text, strlen(files[i].expected) + (files[i].expected[0] != 'e'))] = '\0';
		assert_string_equal(text, files[i].expected);
		free(text);
	}
	for (const char *const *name = (const char *const[]){"inner", "outer", "nested", "profiled", "chosen", "self", NULL};
	     *name; name++)
		unlink(*name);
	assert_int_equal(chdir("/"), 0);
	rmdir(directory);
}

/* Where aprof.h is to be found: wherever sources of C's kin are read, and nowhere else. */
static void test_headers(void **state)
{
	static const struct {
		const char *words;	/* given */
		bool wants;		/* whether -idirafter is added */
	} lines[] = {
		{"a.c", true}, {"-c a.cc", true}, {"-S a.m", true}, {"a.c b.o -lm", true}, {"a.h", true}, {"-c -x c -", true}, {"-c -xc++ a", true},
		{"-x objective-c a", true}, {"-E a.c", true}, {"-M a.c", true}, {"-MM a.cpp", true}, {"-fsyntax-only a.C", true},
		{"-E -m32 a.c", true}, {"-c a.c b.i", true}, {"-c -nostdinc++ a.cc", true}, {"-### a.c", true}, {"-c -ffreestanding a.c", true},
		{"", false}, {"a.o", false}, {"a.s", false}, {"-c a.S", false}, {"-x assembler-with-cpp a.c", false}, {"-c a.i", false},
		{"-c -x cpp-output a.c", false}, {"-c a.d", false}, {"-c a.d b.c", false}, {"-c a.f90", false}, {"-c a.adb", false}, {"-c a.ll", false},
		{"-x d a.c", false}, {"-c -nostdinc a.c", false}, {"--version a.c", false}, {"-dumpmachine a.c", false}, {"a.c -o", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct list words = {0};
		struct plan plan = {0};
		struct error err = {0};

		list_add_words(&words, lines[i].words);
		assert_true(plan_read(&plan, words.items ? words.items : (char *[]){NULL}, &err));
		if (plan_wants_headers(&plan) != lines[i].wants)
			fail_msg("%s: %s headers", lines[i].words, lines[i].wants ? "should want" : "wants");
		list_free(&words);
		plan_free(&plan);
	}
}

static void test_command_with_headers(void **state)
{
	struct surroundings here = around;
	struct plan plan = {0};
	struct error err = {0};
	struct list words = {0};
	char *text;

	(void)state;
	here.ability = gcc;
	here.headers = "/lib/aprof/include";
	list_add_words(&words, "-c a.c");
	assert_true(plan_read(&plan, words.items, &err));
	assert_true(plan_make(&plan, &here, &err));
	text = list_join(&plan.before, " ", false);
	assert_string_equal(text, FENTRY STEPS "-idirafter /lib/aprof/include");
	free(text);
	list_free(&words);
	plan_free(&plan);
}

/* What stands behind the caller's words. */
static void test_after(void **state)
{
#define NAMES "-Xlinker --whole-archive -Xlinker /lib/aprof/libaprof_switches.a -Xlinker --no-whole-archive"
	static const struct {
		const char *words, *switches;	/* given; the file of the names that --aprof-switch gave */
		const char *wrapped, *after;	/* among those before; all behind */
	} all[] = {
		{"a.c", NULL, "", NAMES},
		{"a.o -lboost_context", NULL, "", NAMES},
		{"-shared a.o", NULL, "", ""},
		{"-static a.o", NULL, "", NAMES},
		{"-nostdlib a.o", NULL, "", ""},
		{"-c a.c", NULL, "", ""},
		{"--aprof-way=nop a.o", NULL, "", ""},
		{"--aprof-switch=jump a.o", "/proc/self/fd/5", "-Wl,--wrap=jump,-u,jump,--export-dynamic-symbol=jump", NAMES " -Xlinker /proc/self/fd/5"},
		{"--aprof-switch=jump -static a.o", "/proc/self/fd/5", "-Wl,--wrap=jump,-u,jump", NAMES " -Xlinker /proc/self/fd/5"},
		{"--aprof-switch=co_switch a.o", NULL, "", NAMES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct surroundings here = {.compiler = "cc", .ability = gcc, .libdir = "/lib/aprof", .self = "/bin/aprof", .key = "k", .switches = all[i].switches};
		struct plan plan = {0};
		struct error err = {0};
		struct list words = {0};
		char *before, *after;

		list_add_words(&words, all[i].words);
		assert_true(plan_read(&plan, words.items, &err));
		assert_true(plan_make(&plan, &here, &err));
		before = list_join(&plan.before, " ", false);
		after = list_join(&plan.after, " ", false);
		assert_string_equal(after ? after : "", all[i].after);
		assert_non_null(strstr(before, all[i].wrapped));
		assert_int_equal(strstr(before, "@/lib/aprof/aprof-switches.ld") != NULL, *all[i].after != 0);
		assert_int_equal(strstr(before, "--wrap=jump") != NULL, *all[i].wrapped != 0);
		free(before);
		free(after);
		list_free(&words);
		plan_free(&plan);
	}
}

static void test_broken_places(void **state)
{
	struct row row = {&gcc, "a.c", "error: /a,b: a comma"};
	struct surroundings here = {.compiler = "cc", .ability = gcc, .libdir = "/a,b", .self = "/bin/aprof", .key = "k"};
	struct plan plan = {0};
	struct error err = {0};
	struct list words = {0};

	(void)state;
	list_add_words(&words, row.words);
	assert_true(plan_read(&plan, words.items, &err));
	assert_false(plan_make(&plan, &here, &err));
	assert_non_null(strstr(err.text, "a comma"));
	list_free(&words);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_response_files),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_command_with_headers),
		cmocka_unit_test(test_after),
		cmocka_unit_test(test_broken_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

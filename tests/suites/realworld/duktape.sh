# Duktape, a JavaScript engine: its own example, and a script of closures, strings, patterns, sorting and exceptions, which are longjmps.
title="Duktape"
packages=duktape
counted=yes

build() {
    cp -a "$(source_of duktape)/." source
    examples="examples/cmdline/duk_cmdline.c extras/print-alert/duk_print_alert.c extras/console/duk_console.c"
    options="-std=c99 -DDUK_CMDLINE_PRINTALERT_SUPPORT -DDUK_CMDLINE_CONSOLE_SUPPORT -I./examples/cmdline -I./src -I./extras/print-alert -I./extras/console"
    make -C source -f Makefile.cmdline CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" CCLIBS=-lm CMDLINE_SOURCES="$examples" CCOPTS="$options"
    mv source/duk program
}

run() {
    $launch "$program" "$(source_of duktape)/mandel.js"
    $launch "$program" "${recipe%.sh}.js"
}

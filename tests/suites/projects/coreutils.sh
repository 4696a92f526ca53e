# GNU coreutils: a hundred small programs, thousands of short processes, that fork, exec, wait and die by signals.
title="coreutils"
packages=coreutils
needs="cc:gcc make perl"
results=tap

prepare() { FORCE_UNSAFE_CONFIGURE=1 "$(source_of coreutils)/configure" --disable-nls --without-selinux --without-libgmp >configure.log 2>&1; }

build() {
    cp -rp "$prepared/." .
    make -j"$(nproc)" CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" MANS= man1_MANS= INFO_DEPS=
    cat >one.mk <<'RULES'
list: ; @echo $(all_tests)
one: ; tst=$(test) f=$(test); $(TESTS_ENVIRONMENT) $(if $(filter %.pl,$(test)),$(PL_LOG_COMPILER),$(SHELL)) $(srcdir)/$(test); echo $$? >status
RULES
    ln src/env program
}

# Tests are named by folder and file, misc:cut.pl.  Without $long those of seven folders, in two minutes.
run() {
    cp -rp "${program%/*}/." .
    names=$(cat "$tests")
    if [ -z "$names" ]; then
        names=$(make -s -f Makefile -f one.mk list | tr ' ' '\n' | sed 's,^tests/,,; s,/,:,')
        [ -n "$long" ] || names=$(echo "$names" | grep -E '^(ls|ln|mkdir|touch|split|fmt|readlink):')
        echo "1..$(echo $names | wc -w)"
    fi
    for test in $names; do
        export APROF_OUT="${together:-$profiles/$test:%n.%p}"
        mkdir -p "tests/${test%:*}"
        make -s -f Makefile -f one.mk one test="tests/$(echo "$test" | tr : /)" >&2
        case $(cat status) in 0) echo "ok - $test" ;; 77) echo "ok - $test # SKIP" ;; *) echo "not ok - $test" ;; esac
    done
}

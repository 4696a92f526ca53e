# The trap 06-tail-conversions.sh with the plugin's mend of it taken out: the check of the code that is printed must find what is missing, name
# the routines, and put it right.
# ways: inline
# cc: gcc
# na(-O0): the compiler makes no tail calls
# need: objdump
major=$(${BARE%% *} -dumpversion | sed 's/\..*//')
lose=-fplugin-arg-aprof_gcc$major-test=lose-exits
CC=$(echo "$CC" | sed 's/ --aprof-verify//')
bare=$CC
CC="$CC $lose --aprof-verbose"
. "$SOURCE/06-tail-conversions.sh" 2>err || { cat err; exit 1; }
grep -q ': t_ul_d_plain: tail call: its context is not proven: ' err || { cat err; echo "t_ul_d_plain is not mended"; exit 1; }
grep -c "its hooks are called" err
$bare $lose --aprof-verify $OPT -w -c tails.c -o none.o 2>err && { echo "--aprof-verify takes it"; exit 1; }
grep -q 'error: aprof: .t_[a-z_]*.: tail call: the context is not proven' err || { cat err; exit 1; }
$bare $lose --aprof-verify=report $OPT -w -c tails.c -o none.o 2>err
grep -q ': t_ul_d_plain: tail call: ' err || { cat err; echo "t_ul_d_plain is not reported"; exit 1; }
lost=$(sed -n 's/.* routines checked, \([0-9]*\) not proven$/\1/p' err)
[ "$lost" -gt "$([ -n "$TYPES" ] && echo 25 || echo 100)" ] || { cat err; exit 1; }

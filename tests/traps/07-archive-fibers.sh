# The same where the switch is in an archive: the link takes it from there, though the monitor has its name, and in a static program, too.
#
# ways: inline fentry cyg
# cc: gcc
printf '#define LIBRARY\n#define FLIP 3\n#include "%s/switches.h"\n' "$SOURCE" > flip.c
printf '#define FCONTEXT\n#include "%s/switches.h"\n' "$SOURCE" > p.c
$BARE -c flip.c && ar rcs libflip.a flip.o || exit 1
cat > expected <<'EOF'
1 0 body_a
1 0 body_b
1 0 main
1 0 main leaf
10 0 body_a step_a leaf
10 0 main resume
3 0 body_b middle
3 0 body_b middle step_b
5 0 body_a step_a
6 0 body_b middle step_b leaf
EOF
for how in "" -static; do
	$CC $OPT $how -I "$SOURCE" p.c -L. -lflip -o p || exit 1
	rm -f amon.out
	./p || exit 1
	"$APROF" contexts amon.out | while read -r entries recursive time history; do echo "$entries $recursive $history"; done | grep -v "^0 0 -" | sort > contexts
	diff expected contexts || exit 1
done

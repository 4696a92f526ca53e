# A program, its library and their folder with blanks, a newline and what looks like a deleted file: the names are there.
folder="a b
c (deleted)"
mkdir "$folder"
cd "$folder"
echo 'void of_library(void) { __asm__ volatile(""); }' > lib.c
printf 'void of_library(void);\nint main(void) { of_library(); return 0; }\n' > main.c
$CC $OPT -shared -fPIC -o "lib
 x.so" lib.c
$CC $OPT -o "pr og" main.c "./lib
 x.so" -Wl,-rpath,'$ORIGIN'
"./pr og"
got=$("$APROF" contexts amon.out 2>&1 | grep -v " -$")		# time before main's is no context's
[ "$got" = "1 0 0.000 main
1 0 0.000 main of_library" ] || { echo "$got"; exit 1; }

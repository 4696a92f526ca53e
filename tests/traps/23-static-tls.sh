# A program loads eight libraries whose words of the thread fill the room that is kept for those of libraries that come late: the monitor that the
# libraries bring takes nothing of it, since the program has one.
#
# ways: inline fentry cyg
# opt: -O2
cat > host.c << 'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 8; i++) {
		char name[] = "./lib0.so";
		void *library;

		name[5] += i;
		if (!(library = dlopen(name, RTLD_NOW))) {
			puts(dlerror());
			return 1;
		}
		sum += ((int (*)(void))dlsym(library, "work"))();
	}
	return sum != 8;
}
E
cat > library.c << 'E'
__thread char words[WORDS] __attribute__((tls_model("initial-exec")));
int work(void) { return ++words[0]; }
E
# libraries COMPILER WORDS: eight of them
libraries() {
	for i in 0 1 2 3 4 5 6 7; do
		$1 -O2 -fPIC -shared -DWORDS="$2" library.c -o lib$i.so
	done
}
$BARE host.c -o bare
words=256
until libraries "$BARE" $words && ./bare; do
	words=$((words - 8))
	[ $words -gt 64 ] || exit 77
done > bare.out
libraries "$CC" $((words - 8))		# eight bytes each: the program's own words end elsewhere
$CC host.c -o host
./host
"$APROF" contexts amon.out* | grep '^8 0 .* main work$'

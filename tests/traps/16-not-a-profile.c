/* What is no profile is never replaced: the profile goes beside it, and says so.  An empty file is nobody's.
 *
 * variants: text empty link directory short
 * shell: case $(eval echo \${$#}) in text) echo 'my own text file' > amon.out;; short) printf x > amon.out;; empty) : > amon.out;; link) echo mine > text; ln -s text amon.out;; *) mkdir amon.out;; esac; exec "$@"
 * output: done
 * expect: 1 0 main
 * note: other_name 1
 * note(empty): other_name 0
 * after(text): grep -qx 'my own text file' amon.out && "$APROF" info amon.out.* | grep -q "no profile"
 * after(short): [ "$(cat amon.out)" = x ]
 * after(link): grep -qx mine text && [ -L amon.out ] */
#include <stdio.h>

int main(void)
{
	puts("done");
	return 0;
}

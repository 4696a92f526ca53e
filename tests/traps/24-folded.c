/* Functions of the same code, which the linker folds into one: their calls are those of one routine, which says so.
 *
 * need: ld.lld
 * cc: gcc
 * flags: -fno-ipa-icf -ffunction-sections
 * link: -fuse-ld=lld -Wl,--icf=all
 * expect: 1 0 main
 * expect: 1 0 main squares
 * expect: 1 0 main stones
 * expect: 100 0 main squares age_of_tree
 * expect: 7 0 main stones age_of_tree
 * report: age_of_tree <folded with area_of_square and weight_of_stone> */
#include "trap.h"

struct square { int side; };
struct stone { int density; };
struct tree { int rings; };

HOOKED int area_of_square(struct square *s) { KEEP(); return s->side * 7 + 1; }
HOOKED int weight_of_stone(struct stone *s) { KEEP(); return s->density * 7 + 1; }
HOOKED int age_of_tree(struct tree *t) { KEEP(); return t->rings * 7 + 1; }

HOOKED int squares(struct square *s)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += area_of_square(s);
	return sum;
}

HOOKED int stones(struct stone *s)
{
	int sum = 0;

	for (int i = 0; i < 7; i++)
		sum += weight_of_stone(s);
	return sum - 5;
}

int main(int argc, char **argv)
{
	struct square square = { 1 };
	struct stone stone = { 1 };
	struct tree tree = { 1 };

	(void)argv;
	return squares(&square) + stones(&stone) + (argc > 9 ? age_of_tree(&tree) : 0) == 851 ? 0 : 1;
}

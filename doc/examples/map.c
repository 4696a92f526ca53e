/* map is applied to different functions: one that is cheap, on most calls, and one that is dear (Spivey 2004, Introduction).
 * What map costs depends on the function and on the list that it is given; gprof takes the average. */
#include <stdio.h>
#include <stdlib.h>

#define ROUTINE __attribute__((noinline, noclone)) static

struct list {
	long head;
	struct list *tail;
};

static struct list *cons(long head, struct list *tail)
{
	struct list *list = malloc(sizeof *list);

	if (!list)
		exit(1);
	*list = (struct list){ head, tail };
	return list;
}

/* The list of F of each element of LIST. */
ROUTINE struct list *map(long (*f)(long), const struct list *list)
{
	struct list *first = NULL, **last = &first;

	for (; list; list = list->tail) {
		*last = cons(f(list->head), NULL);
		last = &(*last)->tail;
	}
	return first;
}

/* How many steps N takes to 1, where an even number is halved and an odd one goes to 3 N + 1. */
ROUTINE long steps(long n)
{
	long count = 0;

	for (; n > 1; count++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return count;
}

/* How many numbers divide N. */
ROUTINE long divisors(long n)
{
	long count = 0;

	for (long i = 1; i <= n; i++)
		count += n % i == 0;
	return count;
}

static long sum_and_free(struct list *list)
{
	long sum = 0;

	while (list) {
		struct list *tail = list->tail;

		sum += list->head;
		free(list);
		list = tail;
	}
	return sum;
}

ROUTINE long walk(const struct list *numbers)
{
	return sum_and_free(map(steps, numbers));
}

ROUTINE long search(const struct list *numbers)
{
	return sum_and_free(map(divisors, numbers));
}

int main(void)
{
	struct list *numbers = NULL;
	long sum = 0;

	for (long n = 5000; n < 5100; n++)
		numbers = cons(n, numbers);
	for (int i = 0; i < 4500; i++)
		sum += walk(numbers);
	for (int i = 0; i < 500; i++)
		sum += search(numbers);
	printf("%ld\n", sum + sum_and_free(numbers));
	return 0;
}

#include <stdexcept>

extern "C" int core(int x);

static __attribute__((noinline)) int check(int x)
{
	if (core(x) == 9)
		throw std::runtime_error("nine");
	return x;
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 5; i++)
		try {
			check(i);
		} catch (const std::exception &) {
			caught++;
		}
	return caught == 1 ? 0 : 1;
}

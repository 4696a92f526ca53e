static __attribute__((noinline)) int twice(int x)
{
	return 2 * x;
}

int plugin_call(int x)
{
	return twice(x);
}

int core(int x);

int core(int x)
{
	return x * 3;
}

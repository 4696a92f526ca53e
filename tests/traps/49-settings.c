/* Settings in the environment that cannot be are noted, and the defaults taken.
 *
 * na(verified): a right rate is given with it
 * env: APROF_RATE=-5 APROF_MEMORY=5T APROF_PC=all
 * expect: 1 0 main
 * expect: 2 0 main work
 * note: setting 3 */
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

int main(void)
{
	work();
	work();
	return 0;
}

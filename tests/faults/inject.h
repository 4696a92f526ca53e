/* inject.h - make system calls of the monitor fail: only those made in the code that the monitor is in, this program's own or that of
 * a library of aprof's, not libc's.  FAULT=NUMBER:ERRNO in the environment says which, and how; ERRNO 0: it is the end of the process. */
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

extern const char __executable_start[], etext[];

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(test, value, skip) BPF_JUMP(BPF_JMP | BPF_K | (test), (value), 0, (skip))

struct code {
	uintptr_t low, high;		/* addresses, high one past */
};

/* If the object is a library of aprof's, its code is the one. */
__attribute__((no_instrument_function)) static int look_at_object(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct code *code = arg;

	(void)size;
	if (!strstr(object->dlpi_name, "/libaprof"))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
			code->low = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
			code->high = code->low + object->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

__attribute__((no_instrument_function)) static struct code code_of_monitor(void)
{
	struct code code = { (uintptr_t)__executable_start, (uintptr_t)etext };

	dl_iterate_phdr(look_at_object, &code);
	return code;
}

__attribute__((constructor(101), no_instrument_function)) static void inject(void)
{
	const char *fault = getenv("FAULT");
	unsigned number = 0, error = 0;
	const struct code code = code_of_monitor();
	struct sock_filter filter[] = {
		LOAD(nr), UNLESS(BPF_JEQ, 0, 7),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		UNLESS(BPF_JEQ, (uint32_t)(code.low >> 32), 5),
		LOAD(instruction_pointer),
		UNLESS(BPF_JGE, (uint32_t)code.low, 3), BPF_JUMP(BPF_JMP | BPF_K | BPF_JGE, (uint32_t)code.high, 2, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	if (!fault || sscanf(fault, "%u:%u", &number, &error) != 2)
		return;
	filter[1].k = number;
	filter[7].k = error ? filter[7].k | error : SECCOMP_RET_KILL_PROCESS;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_Exit(99);
}

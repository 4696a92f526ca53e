/* execute.c FUNCTION WORD...: executes WORD... by FUNCTION.  The file GONE, if that is set, is removed before. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int waited(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *path = argv[2];
	char **words = argv + 2, *gone = getenv("GONE");
	pid_t pid;

	if (argc < 3)
		return 2;
	if (gone)
		unlink(gone);
	if (!strcmp(how, "execve"))
		execve(path, words, environ);
	else if (!strcmp(how, "execv"))
		execv(path, words);
	else if (!strcmp(how, "execvp"))
		execvp(path, words);
	else if (!strcmp(how, "execvpe"))
		execvpe(path, words, environ);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(path, O_RDONLY), words, environ);
	else if (!strcmp(how, "execl"))
		execl(path, words[0], (char *)NULL);
	else if (!strcmp(how, "execlp"))
		execlp(path, words[0], (char *)NULL);
	else if (!strcmp(how, "execle"))
		execle(path, words[0], (char *)NULL, environ);
	else if (!strcmp(how, "posix_spawn") && posix_spawn(&pid, path, NULL, NULL, words, environ) == 0)
		return waited(pid);
	else if (!strcmp(how, "posix_spawnp") && posix_spawnp(&pid, path, NULL, NULL, words, environ) == 0)
		return waited(pid);
	else if (!strcmp(how, "vfork")) {
		if ((pid = vfork()) == 0) {
			execve(path, words, environ);
			_exit(98);
		}
		return waited(pid);
	}
	return errno == ENOENT ? 97 : 96;
}

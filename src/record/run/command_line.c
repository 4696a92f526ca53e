/* command_line.c - posix_spawn, and waiting. */
#include "record/run/command_line.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int file_add(posix_spawn_file_actions_t *actions, int fd, const char *path)
{
	return posix_spawn_file_actions_addopen(actions, fd, path ? path : "/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

/* What becomes of the streams and the folder; an errno.  The files are opened before the folder is entered: their names are ours. */
static int actions_make(posix_spawn_file_actions_t *actions, const struct command_line *c)
{
	int error = file_add(actions, STDIN_FILENO, c->in);

	if (!error)
		error = file_add(actions, STDOUT_FILENO, c->out);
	if (!error && c->out && c->err && strcmp(c->out, c->err) == 0)
		error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
	else if (!error)
		error = file_add(actions, STDERR_FILENO, c->err);
	if (!error && c->folder)
		error = posix_spawn_file_actions_addchdir_np(actions, c->folder);
	return error;
}

int command_line_run(const struct command_line *c)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions), status;
	pid_t pid;

	if (!error) {
		error = actions_make(&actions, c);
		if (!error)
			error = posix_spawnp(&pid, c->argv[0], &actions, NULL, (char *const *)c->argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	errno = error;
	if (error)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

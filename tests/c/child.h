/* Work in a forked child, which ends after a minute at most. */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* That `work`, done by a child, returns 0. */
static inline void in_child(int (*work)(void)) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work());
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0)) fprintf(stderr, "child: status %d\n", status);
}

#endif

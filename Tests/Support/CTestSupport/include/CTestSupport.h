#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <sys/types.h>

/* Starts a program that leads a process group, with no signal blocked or
 * ignored and no file but /dev/null to read from and two to write to; -1 stands
 * for /dev/null. directory may be NULL. Returns an error number, or 0. */
int test_spawn(pid_t *identifier, const char *path, char *const arguments[], char *const environment[],
               const char *directory, int output, int errors);

#endif

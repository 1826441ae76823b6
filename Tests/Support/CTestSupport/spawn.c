#define _GNU_SOURCE
#include "CTestSupport.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

static void place(posix_spawn_file_actions_t *actions, int file, int number) {
    if (file >= 0)
        posix_spawn_file_actions_adddup2(actions, file, number);
    else
        posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_WRONLY, 0);
}

int test_spawn(pid_t *identifier, const char *path, char *const arguments[], char *const environment[],
               const char *directory, int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    place(&actions, output, 1);
    place(&actions, errors, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (directory)
        posix_spawn_file_actions_addchdir_np(&actions, directory);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    int error = posix_spawn(identifier, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Runs one command and writes its cost: "wall user system peak-KiB status", in seconds and KiB, in one line.
 *
 * A separate small launcher, because the system counts the memory of a process from its fork on: under a large
 * parent every command would seem to need as much memory as the parent.
 *
 * usage: measure FILE COMMAND [ARGUMENT...] */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec * 1e-6; }

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  double start = now();
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 70;
  double wall = now() - start;
  FILE *file = fopen(argv[1], "w");
  if (!file) return 70;
  fprintf(file, "%.6f %.6f %.6f %ld %d\n", wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return fclose(file) == 0 ? 0 : 70;
}

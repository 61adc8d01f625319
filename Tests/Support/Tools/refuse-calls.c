// Sits between a program and the system, and refuses some calls as an unusual file system or a sandbox does.
//
// To be preloaded (LD_PRELOAD, Linux). REFUSED_CALLS names the calls, each with the errno of its failure, for example
// "flock=38,fchmod=1". The possible calls are flock, ofd (locks by fcntl), fchmod, renameat2, tmpfile (files without a
// name), linkat, locksync (syncs of folders once a file was renamed to syncmake.lock) and exchangesync (the first sync of a
// folder after the first exchange of two names).
//
// SECOND_FLOCK_AWAITS names a file: the second flock begins when the file is there, or after twenty seconds.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The errno with which the call must fail; 0 for none.
static int refusal(const char *name) {
  const char *list = getenv("REFUSED_CALLS");
  size_t length = strlen(name);
  for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && at[length] == '=') return atoi(at + length + 1);
  return 0;
}

#define REAL(type, name, ...) \
  static type (*real_##name)(__VA_ARGS__); \
  if (!real_##name) real_##name = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define REFUSE(name) \
  do { \
    int code = refusal(name); \
    if (code) { \
      errno = code; \
      return -1; \
    } \
  } while (0)

/// Delays the second call.
static void await_at_second_call(void) {
  static int calls;
  const char *path = getenv("SECOND_FLOCK_AWAITS");
  if (!path || ++calls != 2) return;
  for (int tries = 0; tries < 2000 && access(path, F_OK) != 0; tries++) usleep(10000);
}

int flock(int fd, int operation) {
  REFUSE("flock");
  await_at_second_call();
  REAL(int, flock, int, int);
  return real_flock(fd, operation);
}

int fchmod(int fd, mode_t mode) {
  REFUSE("fchmod");
  REAL(int, fchmod, int, mode_t);
  return real_fchmod(fd, mode);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REFUSE("linkat");
  REAL(int, linkat, int, const char *, int, const char *, int);
  return real_linkat(from_folder, from, to_folder, to, flags);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) REFUSE("tmpfile");
  REAL(int, openat, int, const char *, int, ...);
  return real_openat(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_at(folder, path, flags, mode);
}

static int control(int fd, int command, void *argument) {
  if (command == F_OFD_SETLK || command == F_OFD_SETLKW) REFUSE("ofd");
  REAL(int, fcntl64, int, int, ...);
  return real_fcntl64(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control(fd, command, argument);
}

static int has_new_lock;

static void note_name(const char *name) {
  if (strcmp(name, "syncmake.lock") == 0) has_new_lock = 1;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  REAL(int, renameat, int, const char *, int, const char *);
  int result = real_renameat(from_folder, from, to_folder, to);
  if (result == 0) note_name(to);
  return result;
}

static int exchanges;

// The first sync of a folder after the first exchange.
static int is_exchange_sync(int fd) {
  static int is_over;
  struct stat status;
  if (is_over || exchanges != 1 || fstat(fd, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
  is_over = 1;
  return 1;
}

int fsync(int fd) {
  struct stat status;
  if (is_exchange_sync(fd)) REFUSE("exchangesync");
  if (has_new_lock && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) REFUSE("locksync");
  REAL(int, fsync, int);
  return real_fsync(fd);
}

long syscall(long number, ...) {
  long a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_renameat2) REFUSE("renameat2");
  REAL(long, syscall, long, ...);
  long result = real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (number == SYS_renameat2 && result == 0) note_name((const char *)a[3]);
  if (number == SYS_renameat2 && result == 0 && (unsigned)a[4] == RENAME_EXCHANGE) exchanges++;
  return result;
}

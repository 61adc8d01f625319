// Sits between a program and the system's calls for files and sockets, and makes one of them fail.
//
// To be preloaded (LD_PRELOAD, Linux). It numbers these calls over all threads; strace's injection cannot do so,
// since it counts each thread separately. So every number up to the last one is a moment to attack, and no call is
// hidden behind another thread's. The environment controls it:
//
//   FAULT_AT      the number of the call that fails; 0 or empty for none
//   FAULT_DO      kill: the program ends by SIGKILL instead of the call
//                 tear: the same, but half of the data is written first
//                 a number: the call fails with this errno; then only calls that can fail so are numbered
//   FAULT_LOG     a file that gets a line "NUMBER CALL WHAT" for every numbered call
//   FAULT_RECORD  a file that gets all changes of files and folders, in their order and with the data;
//                 powercut.py replays it
//   FAULT_INODES  a file of lines "NUMBER NUMBER": a file or folder with the first inode number shows the second
//   FAULT_NO_EXCHANGE  if set, two names cannot be exchanged (EINVAL), as on an overlay mount
//
// Calls inside the C library are not seen: those of its loader, its resolver, and stdio.
// Standard input, output and error are left alone.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kind of a call, which decides how it can fail.
enum {
  OPEN = 1 << 0, CREATE = 1 << 1, READ = 1 << 2, WRITE = 1 << 3, SYNC = 1 << 4, NAME = 1 << 5,
  PROPERTY = 1 << 6, LOOK = 1 << 7, LOCK = 1 << 8, CLOSE = 1 << 9, SOCKET = 1 << 10, NETWORK = 1 << 11,
  PIPE = 1 << 12, LIST = 1 << 13
};

static const struct { int error, kinds; } failures[] = {
  {ENOSPC, CREATE | WRITE | SYNC | NAME},
  {EIO, OPEN | CREATE | READ | WRITE | SYNC | NAME | PROPERTY | LOOK | CLOSE | LIST},
  {EMFILE, OPEN | CREATE | SOCKET | PIPE},
  {EINTR, OPEN | CREATE | READ | WRITE | SYNC | LOCK | CLOSE | NETWORK},
};

static enum { NOTHING, KILL, TEAR, FAIL } deed;
static int failure, victims, victim_number, has_no_exchange;
static int log_file = -1, record_file = -1;
static _Atomic int number;
static struct { unsigned long real, shown; } inodes[4096];
static int inode_count;
// Held during a change and its line, so that the lines are in the order of the changes.
static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) \
  static type (*real_##name)(__VA_ARGS__); \
  if (!real_##name) real_##name = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static long system_call(long a, long b, long c, long d, long e, long f, long g) {
  REAL(long, syscall, long, ...);
  return real_syscall(a, b, c, d, e, f, g);
}
#define RAW(call, ...) RAW_(call, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define RAW_(call, a, b, c, d, e, f, ...) \
  system_call(SYS_##call, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static int open_for_us(const char *variable) {
  const char *path = getenv(variable);
  if (!path) return -1;
  int file = (int)RAW(openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int high = (int)RAW(fcntl, file, F_DUPFD_CLOEXEC, 900);
  RAW(close, file);
  return high;
}

__attribute__((constructor)) static void begin(void) {
  const char *what = getenv("FAULT_DO"), *at = getenv("FAULT_AT");
  victim_number = at ? atoi(at) : 0;
  victims = ~0;
  has_no_exchange = getenv("FAULT_NO_EXCHANGE") != NULL;
  if (what && !strcmp(what, "kill")) deed = KILL;
  else if (what && !strcmp(what, "tear")) deed = TEAR, victims = WRITE;
  else if (what) {
    deed = FAIL, failure = atoi(what), victims = 0;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
      if (failures[i].error == failure) victims = failures[i].kinds;
  }
  log_file = open_for_us("FAULT_LOG");
  record_file = open_for_us("FAULT_RECORD");
  const char *list = getenv("FAULT_INODES");
  FILE *file = list ? fopen(list, "r") : NULL;
  if (!file) return;
  while (inode_count < 4096 && fscanf(file, "%lu %lu", &inodes[inode_count].real, &inodes[inode_count].shown) == 2)
    inode_count++;
  fclose(file);
}

static unsigned long shown_inode(unsigned long real) {
  for (int i = 0; i < inode_count; i++)
    if (inodes[i].real == real) return inodes[i].shown;
  return real;
}

static void emit(int file, const char *text, size_t length) {
  while (length > 0) {
    long count = RAW(write, file, text, length);
    if (count <= 0) return;
    text += count, length -= (size_t)count;
  }
}

// The file's present path, or the system's name for it.
static void path_of(int file, char *path, size_t size) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = RAW(readlinkat, AT_FDCWD, link, path, size - 1);
  path[length > 0 ? length : 0] = 0;
}

static void resolve(int folder, const char *name, char *path, size_t size) {
  if (name[0] == '/') {
    snprintf(path, size, "%s", name);
    return;
  }
  char base[4096];
  if (folder == AT_FDCWD) {
    long length = RAW(getcwd, base, sizeof base);
    if (length <= 0) base[0] = 0;
  } else path_of(folder, base, sizeof base);
  snprintf(path, size, "%s/%s", base, name);
}

static mode_t type_of(int file) {
  struct stat status;
  REAL(int, fstat, int, struct stat *);
  return real_fstat(file, &status) ? 0 : status.st_mode & S_IFMT;
}

static void die(void) {
  RAW(kill, getpid(), SIGKILL);
  for (;;) RAW(pause);
}

// Numbers a call. Returns 0 if the call may continue, an errno if it must fail with that, and -1 if half of it
// must be done before the program ends.
static int enter(const char *call, int kind, int file, const char *name) {
  if (!name && file >= 0 && file <= 2) return 0;
  if ((kind & (READ | WRITE | CLOSE)) && deed == FAIL) {
    // Pipes and sockets have no disk below them; the socket's own calls are numbered as such.
    mode_t type = type_of(file);
    if (type != S_IFREG && type != S_IFDIR) kind = kind & CLOSE ? kind : NETWORK;
    if ((kind & CLOSE) && type != S_IFREG && failure == EIO) return 0;
  }
  if (!(kind & victims)) return 0;
  int mine = atomic_fetch_add(&number, 1) + 1;
  if (log_file >= 0) {
    char path[8192], line[8400];
    if (name) resolve(file, name, path, sizeof path);
    else path_of(file, path, sizeof path);
    int length = snprintf(line, sizeof line, "%d %s %s\n", mine, call, path);
    emit(log_file, line, (size_t)length);
  }
  if (mine != victim_number) return 0;
  switch (deed) {
  case KILL: die(); return 0;
  case TEAR: return -1;
  case FAIL: return failure;
  default: return 0;
  }
}

// --- The record of changes

static void begin_change(void) { if (record_file >= 0) pthread_mutex_lock(&recording); }
static void end_change(void) { if (record_file >= 0) pthread_mutex_unlock(&recording); }

static void record(const char *format, ...) {
  if (record_file < 0) return;
  char line[17000];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  emit(record_file, line, (size_t)length);
}

static struct stat status_of(int file) {
  struct stat status = {0};
  REAL(int, fstat, int, struct stat *);
  real_fstat(file, &status);
  return status;
}

static void record_data(int file, off_t offset, const void *data, ssize_t count) {
  if (record_file < 0 || count <= 0) return;
  struct stat status = status_of(file);
  if (!S_ISREG(status.st_mode)) return;
  char head[100];
  int length = snprintf(head, sizeof head, "write\t%lu\t%ld\t", (unsigned long)status.st_ino, (long)offset);
  char *line = malloc((size_t)length + 2 * (size_t)count + 1);
  if (!line) die();
  memcpy(line, head, (size_t)length);
  const unsigned char *bytes = data;
  for (ssize_t i = 0; i < count; i++) {
    line[length++] = "0123456789abcdef"[bytes[i] >> 4];
    line[length++] = "0123456789abcdef"[bytes[i] & 15];
  }
  line[length++] = '\n';
  emit(record_file, line, (size_t)length);
  free(line);
}

static void record_file_event(const char *what, int file) {
  if (record_file < 0) return;
  struct stat status = status_of(file);
  record("%s\t%lu\t%ld\t%o\t%ld\t%ld\n", what, (unsigned long)status.st_ino, (long)status.st_size,
         status.st_mode & 07777, (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static void record_names(const char *what, int folder, const char *name, int to, const char *new_name) {
  if (record_file < 0) return;
  char path[8192], other[8192] = "";
  resolve(folder, name, path, sizeof path);
  if (new_name) resolve(to, new_name, other, sizeof other);
  record("%s\t%s%s%s\n", what, path, new_name ? "\t" : "", other);
}

static void record_folder(int folder, const char *name) {
  if (record_file < 0) return;
  struct stat status = {0};
  char path[8192];
  REAL(int, fstatat, int, const char *, struct stat *, int);
  real_fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW);
  resolve(folder, name, path, sizeof path);
  record("mkdir\t%s\t%lu\n", path, (unsigned long)status.st_ino);
}

// Fails or ends the program if this call is the chosen one; `result` is the call's value on failure.
#define ENTER(call, kind, file, name, result) \
  do { \
    int fault = enter(call, kind, file, name); \
    if (fault < 0) die(); \
    if (fault > 0) { \
      errno = fault; \
      return result; \
    } \
  } while (0)

// --- Opening and closing

static int open_file(const char *call, int folder, const char *path, int flags, mode_t mode) {
  int is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
  ENTER(call, flags & O_CREAT || is_nameless ? CREATE : OPEN, folder, path, -1);
  struct stat before;
  begin_change();
  REAL(int, fstatat, int, const char *, struct stat *, int);
  int is_new = record_file >= 0 && (flags & O_CREAT) && real_fstatat(folder, path, &before, 0) != 0;
  int file = (int)RAW(openat, folder, path, flags, mode);
  int error = errno;
  if (file >= 0 && is_new) {
    char whole[8192];
    resolve(folder, path, whole, sizeof whole);
    struct stat status = status_of(file);
    record("create\t%s\t%lu\t%o\n", whole, (unsigned long)status.st_ino, status.st_mode & 07777);
  } else if (file >= 0 && is_nameless && record_file >= 0) {
    struct stat status = status_of(file);
    record("nameless\t%lu\t%o\n", (unsigned long)status.st_ino, status.st_mode & 07777);
  } else if (file >= 0 && (flags & O_TRUNC)) record_file_event("truncate", file);
  end_change();
  errno = error;
  return file;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file("open", AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file("open", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file("openat", folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file("openat", folder, path, flags, mode);
}

int close(int file) {
  if (file == log_file || file == record_file) return 0;
  int fault = enter("close", CLOSE, file, NULL);
  if (fault < 0) die();
  int result = (int)RAW(close, file);
  if (fault == 0) return result;
  // The number is free in any case, as on Linux.
  errno = fault;
  return -1;
}

// --- Reading and writing

ssize_t read(int file, void *buffer, size_t size) {
  ENTER("read", READ, file, NULL, -1);
  return RAW(read, file, buffer, size);
}
static ssize_t read_at(int file, void *buffer, size_t size, off_t offset) {
  ENTER("pread", READ, file, NULL, -1);
  return RAW(pread64, file, buffer, size, offset);
}
ssize_t pread(int file, void *buffer, size_t size, off_t offset) { return read_at(file, buffer, size, offset); }
ssize_t pread64(int file, void *buffer, size_t size, off64_t offset) {
  return read_at(file, buffer, size, offset);
}

ssize_t write(int file, const void *data, size_t size) {
  int fault = enter("write", WRITE, file, NULL);
  if (fault < 0) {
    RAW(write, file, data, size / 2);
    die();
  }
  if (fault > 0) {
    errno = fault;
    return -1;
  }
  begin_change();
  off_t offset = record_file >= 0 ? (off_t)RAW(lseek, file, 0, SEEK_CUR) : 0;
  ssize_t count = RAW(write, file, data, size);
  int error = errno;
  if (record_file >= 0 && (RAW(fcntl, file, F_GETFL) & O_APPEND)) offset = status_of(file).st_size - count;
  record_data(file, offset, data, count);
  end_change();
  errno = error;
  return count;
}

static ssize_t write_at(int file, const void *data, size_t size, off_t offset) {
  int fault = enter("pwrite", WRITE, file, NULL);
  if (fault < 0) {
    RAW(pwrite64, file, data, size / 2, offset);
    die();
  }
  if (fault > 0) {
    errno = fault;
    return -1;
  }
  begin_change();
  ssize_t count = RAW(pwrite64, file, data, size, offset);
  int error = errno;
  record_data(file, offset, data, count);
  end_change();
  errno = error;
  return count;
}
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
  return write_at(file, data, size, offset);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
  return write_at(file, data, size, offset);
}

// As one write, so that half of it can be torn off; page-aligned, since it may bypass the page cache.
static ssize_t write_pieces_at(int file, const struct iovec *pieces, int count, off_t offset) {
  size_t size = 0, done = 0;
  for (int i = 0; i < count; i++) size += pieces[i].iov_len;
  char *data;
  if (posix_memalign((void **)&data, 4096, size)) abort();
  for (int i = 0; i < count; done += pieces[i++].iov_len) memcpy(data + done, pieces[i].iov_base, pieces[i].iov_len);
  ssize_t result = write_at(file, data, size, offset);
  int error = errno;
  free(data);
  errno = error;
  return result;
}
ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t offset) {
  return write_pieces_at(file, pieces, count, offset);
}
ssize_t pwritev64(int file, const struct iovec *pieces, int count, off64_t offset) {
  return write_pieces_at(file, pieces, count, offset);
}

// Performs a change of an open file, and records it as `what`.
#define CHANGE_FILE(what, file, ...) \
  do { \
    begin_change(); \
    int result = (int)(__VA_ARGS__); \
    int error = errno; \
    if (result == 0) record_file_event(what, file); \
    end_change(); \
    errno = error; \
    return result; \
  } while (0)

int ftruncate(int file, off_t size) {
  ENTER("ftruncate", PROPERTY, file, NULL, -1);
  CHANGE_FILE("truncate", file, RAW(ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) {
  ENTER("ftruncate", PROPERTY, file, NULL, -1);
  CHANGE_FILE("truncate", file, RAW(ftruncate, file, size));
}
int fsync(int file) {
  ENTER("fsync", SYNC, file, NULL, -1);
  CHANGE_FILE("sync", file, RAW(fsync, file));
}
int fdatasync(int file) {
  ENTER("fdatasync", SYNC, file, NULL, -1);
  CHANGE_FILE("sync", file, RAW(fdatasync, file));
}
int fchmod(int file, mode_t mode) {
  ENTER("fchmod", PROPERTY, file, NULL, -1);
  CHANGE_FILE("properties", file, RAW(fchmod, file, mode));
}
int futimens(int file, const struct timespec times[2]) {
  ENTER("futimens", PROPERTY, file, NULL, -1);
  CHANGE_FILE("properties", file, RAW(utimensat, file, NULL, times, 0));
}

// The same by name; not for links.
int utimensat(int folder, const char *name, const struct timespec times[2], int flags) {
  ENTER("utimensat", PROPERTY, folder, name, -1);
  begin_change();
  int result = (int)RAW(utimensat, folder, name, times, flags);
  int error = errno;
  if (result == 0 && record_file >= 0) {
    int file = (int)RAW(openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
    if (file < 0) die();
    record_file_event("properties", file);
    RAW(close, file);
  }
  end_change();
  errno = error;
  return result;
}

// --- Names

#define CHANGE_NAMES(change, ...) \
  do { \
    begin_change(); \
    int result = (int)(change); \
    int error = errno; \
    if (result == 0) __VA_ARGS__; \
    end_change(); \
    errno = error; \
    return result; \
  } while (0)

static int rename_file(int from, const char *old, int to, const char *new, unsigned flags) {
  int is_exchange = (flags & RENAME_EXCHANGE) != 0;
  ENTER(is_exchange ? "exchange" : "rename", NAME, to, new, -1);
  if (is_exchange && has_no_exchange) {
    errno = EINVAL;
    return -1;
  }
  CHANGE_NAMES(RAW(renameat2, from, old, to, new, flags),
               record_names(is_exchange ? "exchange" : "rename", from, old, to, new));
}
int rename(const char *old, const char *new) { return rename_file(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return rename_file(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return rename_file(from, old, to, new, flags);
}
// `name` is in the folder `file`; or the file has no name, and is known by its descriptor or by what /proc calls that.
static void record_link(int file, const char *name, int folder, const char *new) {
  if (record_file < 0) return;
  char path[8192];
  struct stat status = {0};
  if (!name[0] || sscanf(name, "/proc/self/fd/%d", &file) == 1) status = status_of(file);
  else {
    REAL(int, fstatat, int, const char *, struct stat *, int);
    if (real_fstatat(file, name, &status, AT_SYMLINK_NOFOLLOW)) die();
  }
  resolve(folder, new, path, sizeof path);
  record("link\t%lu\t%s\n", (unsigned long)status.st_ino, path);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  ENTER("link", NAME, to, new, -1);
  CHANGE_NAMES(RAW(linkat, from, old, to, new, flags), record_link(from, old, to, new));
}
static int unlink_file(int folder, const char *name, int flags) {
  ENTER("unlink", NAME, folder, name, -1);
  CHANGE_NAMES(RAW(unlinkat, folder, name, flags), record_names("unlink", folder, name, 0, NULL));
}
int unlink(const char *name) { return unlink_file(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return unlink_file(folder, name, flags); }
int rmdir(const char *name) { return unlink_file(AT_FDCWD, name, AT_REMOVEDIR); }
static int make_folder(int folder, const char *name, mode_t mode) {
  ENTER("mkdir", NAME, folder, name, -1);
  CHANGE_NAMES(RAW(mkdirat, folder, name, mode), record_folder(folder, name));
}
int mkdir(const char *name, mode_t mode) { return make_folder(AT_FDCWD, name, mode); }
int mkdirat(int folder, const char *name, mode_t mode) { return make_folder(folder, name, mode); }

// Calls without a wrapper in every C library are made by their numbers.
long syscall(long call, ...) {
  va_list arguments;
  va_start(arguments, call);
  long a = va_arg(arguments, long), b = va_arg(arguments, long), c = va_arg(arguments, long);
  long d = va_arg(arguments, long), e = va_arg(arguments, long), f = va_arg(arguments, long);
  va_end(arguments);
  if (call == SYS_renameat2) return rename_file((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
  if (call == SYS_syncfs) {
    ENTER("syncfs", SYNC, (int)a, NULL, -1);
    CHANGE_FILE("syncfs", (int)a, RAW(syncfs, a));
  }
#if defined(SYS_openat2)
  // It only reads (CSystemShim).
  if (call == SYS_openat2) {
    ENTER("openat", OPEN, (int)a, (const char *)b, -1);
  }
#endif
  return system_call(call, a, b, c, d, e, f);
}

// --- Reading attributes

// A call that tells about a file, in its two spellings.
#define LOOK_AT(name, file, path, ...) LOOK_AT_(name, file, path, __VA_ARGS__)
#define LOOK_AT_(name, file, path, parameters, types, arguments) \
  int name parameters { \
    ENTER(#name, LOOK, file, path, -1); \
    static int (*real) types; \
    if (!real) real = (int (*) types)dlsym(RTLD_NEXT, #name); \
    int result = real arguments; \
    if (result == 0) out->st_ino = shown_inode(out->st_ino); \
    return result; \
  }

#define PATH_AND(type) (const char *path, struct type *out), (const char *, struct type *), (path, out)
#define FILE_AND(type) (int file, struct type *out), (int, struct type *), (file, out)
#define PLACE_AND(type) \
  (int file, const char *path, struct type *out, int flags), (int, const char *, struct type *, int), \
  (file, path, out, flags)

LOOK_AT(stat, AT_FDCWD, path, PATH_AND(stat))
LOOK_AT(stat64, AT_FDCWD, path, PATH_AND(stat64))
LOOK_AT(lstat, AT_FDCWD, path, PATH_AND(stat))
LOOK_AT(lstat64, AT_FDCWD, path, PATH_AND(stat64))
LOOK_AT(fstat, file, NULL, FILE_AND(stat))
LOOK_AT(fstat64, file, NULL, FILE_AND(stat64))
LOOK_AT(fstatat, file, path, PLACE_AND(stat))
LOOK_AT(fstatat64, file, path, PLACE_AND(stat64))

int access(const char *path, int mode) {
  ENTER("access", LOOK, AT_FDCWD, path, -1);
  return (int)RAW(faccessat, AT_FDCWD, path, mode);
}
int faccessat(int file, const char *path, int mode, int flags) {
  ENTER("faccessat", LOOK, file, path, -1);
  REAL(int, faccessat, int, const char *, int, int);
  return real_faccessat(file, path, mode, flags);
}
int flock(int file, int operation) {
  ENTER("flock", LOCK, file, NULL, -1);
  return (int)RAW(flock, file, operation);
}
DIR *fdopendir(int file) {
  ENTER("fdopendir", LIST, file, NULL, NULL);
  REAL(DIR *, fdopendir, int);
  return real_fdopendir(file);
}
struct dirent *readdir(DIR *folder) {
  ENTER("readdir", LIST, dirfd(folder), NULL, NULL);
  REAL(struct dirent *, readdir, DIR *);
  return real_readdir(folder);
}

// Only locks: the other operations of fcntl do not affect files.
static int control(int file, int command, void *argument) {
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (is_lock) ENTER("fcntl", LOCK, file, NULL, -1);
  return (int)RAW(fcntl, file, command, argument);
}
int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control(file, command, argument);
}

// --- Sockets and pipes

int socket(int domain, int type, int protocol) {
  ENTER("socket", SOCKET, -1, NULL, -1);
  return (int)RAW(socket, domain, type, protocol);
}
int socketpair(int domain, int type, int protocol, int ends[2]) {
  ENTER("socketpair", PIPE, -1, NULL, -1);
  return (int)RAW(socketpair, domain, type, protocol, ends);
}
int pipe(int ends[2]) {
  ENTER("pipe", PIPE, -1, NULL, -1);
  return (int)RAW(pipe2, ends, 0);
}
int connect(int file, const struct sockaddr *address, socklen_t length) {
  ENTER("connect", NETWORK, file, NULL, -1);
  return (int)RAW(connect, file, address, length);
}
ssize_t send(int file, const void *data, size_t size, int flags) {
  ENTER("send", NETWORK, file, NULL, -1);
  return RAW(sendto, file, data, size, flags, NULL, 0);
}
ssize_t recv(int file, void *buffer, size_t size, int flags) {
  ENTER("recv", NETWORK, file, NULL, -1);
  return RAW(recvfrom, file, buffer, size, flags, NULL, NULL);
}
int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  ENTER("poll", NETWORK, -1, NULL, -1);
  REAL(int, poll, struct pollfd *, nfds_t, int);
  return real_poll(files, count, milliseconds);
}

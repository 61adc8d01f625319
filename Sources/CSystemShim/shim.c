#define _GNU_SOURCE
#include "CSystemShim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(O_PATH)
const int syncmake_open_folder_flags = O_PATH | O_DIRECTORY;
#else
const int syncmake_open_folder_flags = O_RDONLY | O_DIRECTORY;
#endif

const long syncmake_utime_now = UTIME_NOW;
const long syncmake_utime_omit = UTIME_OMIT;

#if defined(__APPLE__)
#include <sys/clonefile.h>
#include <sys/mount.h>
#endif

int syncmake_is_mount_root(int fd) {
#if defined(STATX_BASIC_STATS)
  const unsigned long long root = 0x2000; // STATX_ATTR_MOUNT_ROOT
  struct statx now;
  if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, 0, &now) == 0 && (now.stx_attributes_mask & root)) {
    return (now.stx_attributes & root) != 0;
  }
#endif
  struct stat own, above;
  if (fstat(fd, &own) != 0 || fstatat(fd, "..", &above, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return own.st_dev != above.st_dev;
}

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

// Through syscall(2): not every libc has a wrapper for these.
int syncmake_syncfs(int fd) { return (int)syscall(SYS_syncfs, fd); }

int syncmake_start_writing(int fd, long long offset, long long size) {
  return sync_file_range(fd, offset, size, SYNC_FILE_RANGE_WRITE);
}

int syncmake_finish_writing(int fd, long long offset, long long size) {
  const unsigned int all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (sync_file_range(fd, offset, size, all) != 0) return -1;
  (void)posix_fadvise(fd, offset, size, POSIX_FADV_DONTNEED); // Only advice.
  return 0;
}

int syncmake_set_direct(int fd, int is_direct) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -1;
  return fcntl(fd, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

long syncmake_write_pieces(int fd, const struct iovec *pieces, int count, long long offset) {
  return pwritev(fd, pieces, count, offset);
}

int syncmake_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to) {
#if defined(SYS_renameat2)
  const unsigned int no_replace = 1; // RENAME_NOREPLACE
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, no_replace);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_rename_exchange(int one_folder, const char *one, int other_folder, const char *other) {
#if defined(SYS_renameat2)
  const unsigned int exchange = 2; // RENAME_EXCHANGE
  return (int)syscall(SYS_renameat2, one_folder, one, other_folder, other, exchange);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_create_nameless(int folder, unsigned mode) {
  return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int syncmake_keeps_nameless(int fd) {
  const long ext4 = 0xEF53;
  struct statfs facts;
  if (fstatfs(fd, &facts) != 0) return -1;
  if (facts.f_type == ext4) return 0;
  errno = ENOTSUP;
  return -1;
}

int syncmake_name(int fd, int folder, const char *name) {
  if (linkat(fd, "", folder, name, AT_EMPTY_PATH) == 0) return 0;
  if (errno != ENOENT) return -1;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
}

int syncmake_clone(int from, int folder, const char *name) {
  int file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ioctl(file, FICLONE, from) == 0) return file;
  int error = errno;
  (void)unlinkat(folder, name, 0);
  (void)close(file);
  errno = error;
  return -1;
}

#else

int syncmake_clone(int from, int folder, const char *name) {
#if defined(__APPLE__)
  if (fclonefileat(from, folder, name, 0) != 0) return -1;
  // It has the mode of the other file.
  int file = fchmodat(folder, name, 0600, AT_SYMLINK_NOFOLLOW) == 0
                 ? openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
  int error = errno;
  if (file < 0) (void)unlinkat(folder, name, 0);
  errno = error;
  return file;
#else
  (void)from, (void)folder, (void)name;
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_create_nameless(int folder, unsigned mode) {
  (void)folder, (void)mode;
  errno = ENOSYS;
  return -1;
}

int syncmake_keeps_nameless(int fd) { return syncmake_create_nameless(fd, 0); }

int syncmake_name(int fd, int folder, const char *name) {
  (void)name;
  return syncmake_create_nameless(folder, (unsigned)fd);
}

int syncmake_syncfs(int fd) {
  (void)fd;
  errno = ENOSYS;
  return -1;
}

int syncmake_start_writing(int fd, long long offset, long long size) {
  (void)fd, (void)offset, (void)size;
  errno = ENOSYS;
  return -1;
}

int syncmake_finish_writing(int fd, long long offset, long long size) {
  return syncmake_start_writing(fd, offset, size);
}

int syncmake_set_direct(int fd, int is_direct) {
  (void)fd, (void)is_direct;
  errno = ENOSYS;
  return -1;
}

long syncmake_write_pieces(int fd, const struct iovec *pieces, int count, long long offset) {
  (void)fd, (void)pieces, (void)count, (void)offset;
  errno = ENOSYS;
  return -1;
}

int syncmake_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to) {
#if defined(__APPLE__)
  return renameatx_np(from_folder, from, to_folder, to, RENAME_EXCL);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_rename_exchange(int one_folder, const char *one, int other_folder, const char *other) {
#if defined(__APPLE__)
  return renameatx_np(one_folder, one, other_folder, other, RENAME_SWAP);
#else
  errno = ENOSYS;
  return -1;
#endif
}

#endif

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int has_no_limit(int resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

void syncmake_expect_memory(size_t size) {
  const size_t page = (size_t)2 << 20;
  // Reserved memory counts against these limits, even if it is never used.
  if (!has_no_limit(RLIMIT_AS) || !has_no_limit(RLIMIT_DATA)) return;
  // The largest threshold that it accepts: all but the largest lists come from the heap and return to it.
  if (mallopt(M_MMAP_THRESHOLD, 32 << 20) != 1 || mallopt(M_TRIM_THRESHOLD, 1 << 30) != 1) return;
  char *start = sbrk(0);
  if (start == (char *)-1 || mallopt(M_TOP_PAD, (int)size) != 1) return;
  // More than the rest of the heap, so that it grows by this and the amount above; volatile, since a compiler removes
  // unused values.
  void *volatile some = malloc(1 << 20);
  free(some);
  mallopt(M_TOP_PAD, 1 << 20);
  char *end = sbrk(0);
  char *first = (char *)(((uintptr_t)start + page - 1) & ~(uintptr_t)(page - 1));
  if (end == (char *)-1 || end <= first) return;
  (void)madvise(first, (size_t)(end - first), MADV_HUGEPAGE); // Only advice.
}

void syncmake_return_memory(void) {
  // Once a threshold is set, the largest array that was freed no longer raises it: then all of its size stay in the heap.
  if (mallopt(M_MMAP_THRESHOLD, 1 << 20) == 1) mallopt(M_TRIM_THRESHOLD, 8 << 20);
}
#else
void syncmake_expect_memory(size_t size) { (void)size; }

void syncmake_return_memory(void) {}
#endif

#if defined(__GLIBC__)

static int argument_count;
static char **argument_values;

// glibc passes the arguments of `main` to constructors, in static programs too.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}

int syncmake_arguments(char ***values) {
  *values = argument_values;
  return argument_count;
}

#elif defined(__APPLE__)
#include <crt_externs.h>

char **syncmake_variables(void) { return *_NSGetEnviron(); }

int syncmake_arguments(char ***values) {
  *values = *_NSGetArgv();
  return *_NSGetArgc();
}

#else

int syncmake_arguments(char ***values) {
  *values = NULL;
  return -1;
}

#endif

#if !defined(__APPLE__)
extern char **environ;

char **syncmake_variables(void) { return environ; }
#endif

int syncmake_lock_range(int fd, int is_shared) {
#ifdef F_OFD_SETLK
  struct flock range = {.l_type = is_shared ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &range);
#else
  (void)fd;
  (void)is_shared;
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_may_lack_permissions(int folder) {
  struct statfs system;
  if (fstatfs(folder, &system) != 0) return 0;
#if defined(__APPLE__)
  return strcmp(system.f_fstypename, "msdos") == 0 || strcmp(system.f_fstypename, "exfat") == 0 ||
         strcmp(system.f_fstypename, "ntfs") == 0 || strcmp(system.f_fstypename, "smbfs") == 0;
#else
  switch ((unsigned)system.f_type) {
  case 0x4d44:     // vfat
  case 0x2011bab0: // exfat
  case 0x7366746e: // ntfs3
  case 0x65735546: // fuse, as ntfs-3g is
  case 0x01021997: // 9p, as drives of Windows are in WSL
  case 0xff534d42: // cifs
  case 0xfe534d42: // smb2
    return 1;
  default: return 0;
  }
#endif
}

int syncmake_ignores_case(int folder) {
#if defined(__linux__)
  struct statfs system;
  if (fstatfs(folder, &system) != 0) return 0;
  // vfat and exfat.
  if (system.f_type == 0x4d44 || system.f_type == 0x2011bab0) return 1;
  // The descriptor may be one for paths only.
  int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable < 0) return 0;
  // The kernel writes 32 bits, whatever type the call's number was made from.
  unsigned flags = 0;
  int status = ioctl(readable, FS_IOC_GETFLAGS, &flags);
  close(readable);
  return status == 0 && (flags & FS_CASEFOLD_FL) != 0;
#elif defined(_PC_CASE_SENSITIVE)
  return fpathconf(folder, _PC_CASE_SENSITIVE) == 0;
#else
  (void)folder;
  return 0;
#endif
}

int syncmake_open_without_links(int folder, const char *path) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
#if defined(SYS_openat2)
  struct {
    uint64_t flags, mode, resolve;
  } how = {.flags = (uint64_t)flags, .resolve = 4}; // RESOLVE_NO_SYMLINKS
  int file = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
  // What sandboxes say of calls that they do not know.
  if (file < 0 && errno == EPERM) errno = ENOSYS;
  return file;
#elif defined(O_NOFOLLOW_ANY)
  return openat(folder, path, flags | O_NOFOLLOW_ANY);
#else
  (void)folder, (void)path, (void)flags;
  errno = ENOSYS;
  return -1;
#endif
}

int syncmake_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

#ifndef CSYSTEMSHIM_H
#define CSYSTEMSHIM_H

#include <stddef.h>
#include <sys/uio.h>

// Declarations that Swift cannot use directly: macros that the C library hides by default, and system calls that are
// variadic or exist on one system only. On failure calls return -1 with errno set, ENOSYS if the system has no such
// call.

/// Writes all modified data of the file system of `fd` to the disk (Linux only).
int syncmake_syncfs(int fd);

/// Starts to write the modified data in that part of the file to the disk, without waiting (Linux only).
int syncmake_start_writing(int fd, long long offset, long long size);

/// Waits until that part of the file is on the disk and drops it from memory (Linux only).
///
/// Errors such as EIO are reported only to the first caller: a later fsync may not repeat them.
int syncmake_finish_writing(int fd, long long offset, long long size);

/// Makes later writes bypass the page cache, or not (Linux only).
///
/// Memory, offset and size of each write and read must then be multiples of the disk's block.
int syncmake_set_direct(int fd, int is_direct);

/// Writes `count` pieces of memory one after another at `offset` with one call, pwritev(2) (Linux only).
///
/// Returns the number of written bytes, which may be smaller.
long syncmake_write_pieces(int fd, const struct iovec *pieces, int count, long long offset);

/// Renames like renameat(2), but fails with EEXIST if the new name exists.
///
/// ENOSYS, EINVAL or ENOTSUP mean that the system or the file system does not support this.
int syncmake_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to);

/// Opens a file of `folder`, or of a folder in it, for reading; fails if any part of `path` is a link.
///
/// ENOSYS if the system cannot do this in one step. It is never inherited by child processes, and never waits for the
/// other end of a FIFO.
int syncmake_open_without_links(int folder, const char *path);

/// As pipe(2); no program that another thread starts meanwhile gets the ends, where the system has pipe2.
int syncmake_pipe(int ends[2]);

/// 1 if names in the folder that differ in case only are known to be one name, by the type of the file system or by the
/// folder's attributes; 0 if not, or if that is not known.
int syncmake_ignores_case(int folder);

/// 1 if the file system is of a type that may give all files the same permissions, whatever they were made with; 0 if not,
/// or if that is not known.
int syncmake_may_lack_permissions(int folder);

/// Locks the whole file for this open file, by fcntl's F_OFD_SETLK, perhaps together with others that share the lock;
/// EAGAIN or EACCES if another one holds the lock.
int syncmake_lock_range(int fd, int is_shared);

/// Exchanges two files in one step; both must exist.
///
/// ENOSYS, EINVAL or ENOTSUP mean that the system or the file system does not support this.
int syncmake_rename_exchange(int one_folder, const char *one, int other_folder, const char *other);

/// 1 if something is mounted at the open folder `fd`, 0 if not.
///
/// Linux says so since version 5.8; otherwise another device than that of the folder above shows it.
int syncmake_is_mount_root(int fd);

/// Creates a file without a name on the file system of `folder`, by O_TMPFILE; returns its descriptor (Linux only).
///
/// Closing the descriptor removes the file.
int syncmake_create_nameless(int folder, unsigned mode);

/// 0 on file systems on which a crash is known not to damage a file that was synced without a name and named
/// afterwards (Linux only).
///
/// This is ext4, whose journal keeps the order of a file's changes. The system does not tell whether there is a
/// journal, and does not distinguish ext4 from ext3 and ext2, which it mounts as ext4. For example, btrfs does not
/// sync files without names. Otherwise ENOTSUP.
int syncmake_keeps_nameless(int fd);

/// Gives such a file its name; fails with EEXIST if the name exists (Linux only).
///
/// ENOENT if the folder was removed, or if neither a privilege nor /proc allows a file to be named by its descriptor.
int syncmake_name(int fd, int folder, const char *name);

/// Makes a new file `name` in `folder`, for its owner only, that shares its blocks with `from` until one of them is
/// changed; returns its descriptor.
///
/// Fails, and leaves nothing, if the name exists or the file system cannot do it, with whatever errno that one chooses.
int syncmake_clone(int from, int folder, const char *name);

/// Returns the arguments that the system passed to `main`, including the program's name, and their number.
///
/// -1 if the C library does not provide them (anything but glibc and macOS). They are valid as long as the program
/// runs.
int syncmake_arguments(char ***values);

/// Returns the process's environment: texts `NAME=value`, and NULL at its end.
char **syncmake_variables(void);

/// Prepares the C library's heap for about this number of bytes (glibc only; no effect elsewhere).
///
/// They are reserved at once, in large pages if the system provides them on request, and freed memory stays with the
/// program. Untouched memory costs nothing, except on systems that limit promised memory. Must be called on the main
/// thread, which owns this heap, before the large lists are made.
void syncmake_expect_memory(size_t size);

/// Has arrays of 1 MiB and more go back to the system when they are freed (glibc only; no effect elsewhere).
void syncmake_return_memory(void);

/// The flags for a folder that only serves as a starting point: no right to list it is needed.
extern const int syncmake_open_folder_flags;

/// In `tv_nsec` for futimens: the present.
extern const long syncmake_utime_now;

/// In `tv_nsec` for futimens: leave it as it is.
extern const long syncmake_utime_omit;

#endif

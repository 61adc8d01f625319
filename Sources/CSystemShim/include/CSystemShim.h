#ifndef CSYSTEMSHIM_H
#define CSYSTEMSHIM_H

#include <stddef.h>
#include <sys/uio.h>

// What Swift cannot see: macros that the C library hides by default, and system calls that are variadic
// or that only one system has. Calls return -1 with errno set on failure, ENOSYS where the system has no such call.

/// Writes everything dirty on the file system that `fd` lies on to the disk (Linux only).
int syncmake_syncfs(int fd);

/// Has the disk begin with what is dirty in that part of the file, without waiting (Linux only).
int syncmake_start_writing(int fd, long long offset, long long size);

/// Waits until that part of the file is on the disk and drops it from memory (Linux only).
///
/// EIO and its like are told to whoever asks first: a later fsync may not repeat them.
int syncmake_finish_writing(int fd, long long offset, long long size);

/// Whether what is written from now on goes past the page cache (Linux only).
///
/// Memory, offset and size of each write and read must then be multiples of the disk's block.
int syncmake_set_direct(int fd, int is_direct);

/// Writes `count` pieces of memory behind one another at `offset` by one call, pwritev(2) (Linux only).
///
/// Gives the bytes that were written, which may be fewer.
long syncmake_write_pieces(int fd, const struct iovec *pieces, int count, long long offset);

/// Renames like renameat(2), but fails with EEXIST where the new name exists.
///
/// ENOSYS, EINVAL or ENOTSUP mean that the system or the file system cannot.
int syncmake_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to);

/// Locks the whole file for this open file, by fcntl's F_OFD_SETLK; EAGAIN or EACCES where another one holds it.
int syncmake_lock_range(int fd);

/// Exchanges two files in one step; both must exist.
///
/// ENOSYS, EINVAL or ENOTSUP mean that the system or the file system cannot.
int syncmake_rename_exchange(int one_folder, const char *one, int other_folder, const char *other);

/// Makes a file that has no name yet on the file system of `folder`, by O_TMPFILE; gives its descriptor (Linux only).
///
/// Whoever closes it removes it.
int syncmake_create_nameless(int folder, unsigned mode);

/// 0 on the file systems of which it is known that no crash harms a file that was synced without a name and got one then
/// (Linux only).
///
/// That is ext4, whose journal keeps the order of what is done to a file. The system does not tell whether there is a
/// journal, nor ext4 from ext3 and ext2, which it mounts as ext4. btrfs, for one, does not sync what has no name. Else
/// ENOTSUP.
int syncmake_keeps_nameless(int fd);

/// Gives such a file its name; fails with EEXIST where something of that name is (Linux only).
///
/// ENOENT where the folder is gone, or where neither a privilege nor /proc lets a file be named by its descriptor.
int syncmake_name(int fd, int folder, const char *name);

/// Gives the arguments that the system passed to `main`, the program's name included, and how many there are.
///
/// -1 if the C library does not say (anything but glibc and macOS). They live as long as the program.
int syncmake_arguments(char ***values);

/// Prepares the C library's heap for about so many bytes (glibc only; elsewhere nothing is done).
///
/// They are set aside at once, in large pages where the system has those for whoever asks, and what is given back
/// stays with the program. Memory that is never touched costs none, but where the system counts what was promised. To be
/// called on the main thread, whose heap it is, before the large lists are made.
void syncmake_expect_memory(size_t size);

/// What to open a folder with that is only a place to start from: no right to list it is needed.
extern const int syncmake_open_folder_flags;

/// In `tv_nsec` for futimens: the present.
extern const long syncmake_utime_now;

/// In `tv_nsec` for futimens: leave it as it is.
extern const long syncmake_utime_omit;

#endif

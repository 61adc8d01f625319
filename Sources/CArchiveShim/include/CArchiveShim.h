#pragma once

// The functions of libarchive that Archives uses, for 7z and xar. Nothing links to the library: it is loaded when the
// first archive of these formats arrives (docs/decisions/0026). Its functions are declared here, so that a build needs
// none of its headers.
//
// Only the readers of these two formats are registered, and no filter. All names are UTF-8.

#include <stddef.h>
#include <stdint.h>

enum { archiveshim_7zip = 0, archiveshim_xar = 1 };

/// What an entry is.
enum {
  archiveshim_file = 0,
  archiveshim_folder,
  archiveshim_symbolic_link,
  archiveshim_hard_link,
  archiveshim_device,
  archiveshim_fifo,
  archiveshim_socket,
  archiveshim_unknown,
};

/// An entry; the texts are valid until the next call, and NULL if the library has none or cannot convert it.
struct archiveshim_entry {
  int kind;
  const char *_Nullable name;
  /// Of a link.
  const char *_Nullable target;
  /// -1 if it is unknown.
  int64_t size;
  int is_encrypted;
  /// The permission bits.
  uint32_t mode;
  int has_time;
  /// In seconds since 1970, if there is a time.
  int64_t modified;
  /// After that second.
  int64_t nanoseconds;
};

/// Reads at `offset`; returns the number of bytes, 0 at the end, -1 after an error.
typedef int64_t (*archiveshim_read)(void *_Nonnull context, int64_t offset, void *_Nonnull buffer, size_t size);

/// Must be called before all others, and not by two threads at once. Returns NULL, or the file name of the library
/// that cannot be used.
const char *_Nullable archiveshim_load(void);

/// Begins to read an archive of `size` bytes; NULL if there is no memory. `context` is handed to `read`.
void *_Nullable archiveshim_open(int format, int64_t size, archiveshim_read _Nonnull read, void *_Nonnull context);
void archiveshim_close(void *_Nonnull archive);
/// Fills `entry` with the next one: 1, 0 at the end, or -1 after an error.
int archiveshim_next(void *_Nonnull archive, struct archiveshim_entry *_Nonnull entry);
/// Content of the present entry: the number of bytes, 0 at its end, or -1 after an error.
int64_t archiveshim_content(void *_Nonnull archive, void *_Nonnull buffer, size_t size);
/// The last error in words, mostly the library's; valid until the next call.
const char *_Nullable archiveshim_words(void *_Nonnull archive);

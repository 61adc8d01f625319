#define _GNU_SOURCE
#include "CArchiveShim.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// libarchive.so.13: archive.h, archive_entry.h.

struct archive;
struct archive_entry;

enum { declared_eof = 1, declared_ok = 0 };

typedef ssize_t declared_read(struct archive *, void *, const void **);
typedef int64_t declared_skip(struct archive *, void *, int64_t);
typedef int64_t declared_seek(struct archive *, void *, int64_t, int);

static struct {
  struct archive *(*create)(void);
  int (*free)(struct archive *);
  int (*seven_zip)(struct archive *);
  int (*xar)(struct archive *);
  int (*set_read)(struct archive *, declared_read *);
  int (*set_skip)(struct archive *, declared_skip *);
  int (*set_seek)(struct archive *, declared_seek *);
  int (*set_data)(struct archive *, void *);
  int (*open)(struct archive *);
  int (*next)(struct archive *, struct archive_entry **);
  int (*content)(struct archive *, const void **, size_t *, int64_t *);
  const char *(*words)(struct archive *);
  const char *(*name)(struct archive_entry *);
  const char *(*symbolic_link)(struct archive_entry *);
  const char *(*hard_link)(struct archive_entry *);
  mode_t (*type)(struct archive_entry *);
  int64_t (*size)(struct archive_entry *);
  int (*has_size)(struct archive_entry *);
  int (*is_encrypted)(struct archive_entry *);
  mode_t (*mode)(struct archive_entry *);
  int (*has_time)(struct archive_entry *);
  time_t (*modified)(struct archive_entry *);
  long (*nanoseconds)(struct archive_entry *);
} api;

/// In bytes. Smaller pieces cost a call each.
enum { piece = 256 << 10 };

struct reader {
  struct archive *archive;
  archiveshim_read read;
  void *context;
  int64_t place;
  int64_t size;
  /// Content of the present entry that the library has lent, and the offset behind it.
  const char *content;
  size_t left;
  int64_t made;
  /// What was found here, not by the library; NULL for nothing.
  const char *fault;
  char buffer[piece];
};

/// The library converts names to the thread's character set.
static locale_t utf8;

#ifdef __APPLE__
static const char *const names[] = {
    "/opt/homebrew/opt/libarchive/lib/libarchive.13.dylib", "/usr/local/opt/libarchive/lib/libarchive.13.dylib",
    "/usr/lib/libarchive.2.dylib"};
static const char own_name[] = "libarchive.13.dylib";
#else
static const char *const names[] = {"libarchive.so.13"};
static const char own_name[] = "libarchive.so.13";
#endif

const char *archiveshim_load(void) {
  static const struct {
    void *slot;
    const char *name;
  } wanted[] = {
      {&api.create, "archive_read_new"},
      {&api.free, "archive_read_free"},
      {&api.seven_zip, "archive_read_support_format_7zip"},
      {&api.xar, "archive_read_support_format_xar"},
      {&api.set_read, "archive_read_set_read_callback"},
      {&api.set_skip, "archive_read_set_skip_callback"},
      {&api.set_seek, "archive_read_set_seek_callback"},
      {&api.set_data, "archive_read_set_callback_data"},
      {&api.open, "archive_read_open1"},
      {&api.next, "archive_read_next_header"},
      {&api.content, "archive_read_data_block"},
      {&api.words, "archive_error_string"},
      {&api.name, "archive_entry_pathname"},
      {&api.symbolic_link, "archive_entry_symlink"},
      {&api.hard_link, "archive_entry_hardlink"},
      {&api.type, "archive_entry_filetype"},
      {&api.size, "archive_entry_size"},
      {&api.has_size, "archive_entry_size_is_set"},
      {&api.is_encrypted, "archive_entry_is_encrypted"},
      {&api.mode, "archive_entry_perm"},
      {&api.has_time, "archive_entry_mtime_is_set"},
      {&api.modified, "archive_entry_mtime"},
      {&api.nanoseconds, "archive_entry_mtime_nsec"},
  };
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return own_name;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *function = dlsym(library, wanted[i].name);
    if (!function) return own_name;
    *(void **)wanted[i].slot = function;
  }
  utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
  return NULL;
}

static ssize_t take(struct archive *archive, void *context, const void **bytes) {
  struct reader *reader = context;
  (void)archive;
  int64_t left = reader->size - reader->place;
  *bytes = reader->buffer;
  if (left <= 0) return 0;
  int64_t count =
      reader->read(reader->context, reader->place, reader->buffer, left < piece ? (size_t)left : (size_t)piece);
  if (count > 0) reader->place += count;
  return (ssize_t)count;
}

static int64_t skip(struct archive *archive, void *context, int64_t count) {
  struct reader *reader = context;
  (void)archive;
  int64_t left = reader->size - reader->place;
  if (count > left) count = left;
  if (count < 0) return 0;
  reader->place += count;
  return count;
}

static int64_t seek(struct archive *archive, void *context, int64_t offset, int whence) {
  struct reader *reader = context;
  (void)archive;
  int64_t base = whence == 1 ? reader->place : whence == 2 ? reader->size : 0;
  if (offset < -base || offset > reader->size - base) return -30;
  reader->place = base + offset;
  return reader->place;
}

void *archiveshim_open(int format, int64_t size, archiveshim_read read, void *context) {
  struct reader *reader = malloc(sizeof *reader);
  if (!reader) return NULL;
  reader->read = read;
  reader->context = context;
  reader->place = 0;
  reader->size = size;
  reader->left = 0;
  reader->made = 0;
  reader->fault = NULL;
  reader->archive = api.create();
  if (!reader->archive) {
    free(reader);
    return NULL;
  }
  if (format == archiveshim_xar) api.xar(reader->archive);
  else api.seven_zip(reader->archive);
  api.set_read(reader->archive, take);
  api.set_skip(reader->archive, skip);
  api.set_seek(reader->archive, seek);
  api.set_data(reader->archive, reader);
  // An error here is also that of the first step.
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  (void)api.open(reader->archive);
  if (utf8) uselocale(before);
  return reader;
}

void archiveshim_close(void *archive) {
  struct reader *reader = archive;
  api.free(reader->archive);
  free(reader);
}

static int kind(mode_t type) {
  switch (type) {
  case S_IFREG: return archiveshim_file;
  case S_IFDIR: return archiveshim_folder;
  case S_IFLNK: return archiveshim_symbolic_link;
  case S_IFCHR:
  case S_IFBLK: return archiveshim_device;
  case S_IFIFO: return archiveshim_fifo;
  case S_IFSOCK: return archiveshim_socket;
  default: return archiveshim_unknown;
  }
}

static int read_next(struct reader *reader, struct archiveshim_entry *entry) {
  reader->left = 0;
  reader->made = 0;
  struct archive_entry *found = NULL;
  int code = api.next(reader->archive, &found);
  if (code == declared_eof) return 0;
  // A warning means that something could not be read as it is, such as a name.
  if (code != declared_ok || !found) return -1;
  entry->kind = kind(api.type(found));
  entry->name = api.name(found);
  entry->target = api.hard_link(found);
  if (entry->target) entry->kind = archiveshim_hard_link;
  else if (entry->kind == archiveshim_symbolic_link) entry->target = api.symbolic_link(found);
  entry->size = api.has_size(found) ? api.size(found) : -1;
  entry->is_encrypted = api.is_encrypted(found);
  entry->mode = (uint32_t)api.mode(found);
  entry->has_time = api.has_time(found);
  entry->modified = (int64_t)api.modified(found);
  entry->nanoseconds = (int64_t)api.nanoseconds(found);
  return 1;
}

int archiveshim_next(void *archive, struct archiveshim_entry *entry) {
  memset(entry, 0, sizeof *entry);
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  int code = read_next(archive, entry);
  if (utf8) uselocale(before);
  return code;
}

/// So many blocks of content without a byte follow one another only where no end would come: the xar reader of 3.6.2
/// gives them on and on after compressed data that ends before its recorded length.
enum { most_empty = 1000 };

// archive_read_data of 3.6.2 adds zeros after the content of each file of a xar but the first: at a file's end the xar
// reader gives it an offset that counts all files.
int64_t archiveshim_content(void *archive, void *buffer, size_t size) {
  struct reader *reader = archive;
  for (int empty = 0; reader->left == 0; empty++) {
    if (empty == most_empty) {
      reader->fault = "the content of an entry does not end";
      return -1;
    }
    const void *bytes = NULL;
    size_t count = 0;
    int64_t offset = 0;
    int code = api.content(reader->archive, &bytes, &count, &offset);
    if (code == declared_eof) return 0;
    // A gap is a hole in the file, which these formats do not have.
    if (code != declared_ok || (count > 0 && offset != reader->made)) return -1;
    reader->content = bytes;
    reader->left = count;
    reader->made += (int64_t)count;
  }
  size_t count = reader->left < size ? reader->left : size;
  memcpy(buffer, reader->content, count);
  reader->content += count;
  reader->left -= count;
  return (int64_t)count;
}

const char *archiveshim_words(void *archive) {
  struct reader *reader = archive;
  return reader->fault ? reader->fault : api.words(reader->archive);
}

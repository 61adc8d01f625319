#pragma once

// The structures and numbers of three libraries, which are part of their binary interfaces and do not change within a
// version of the library's file name. A test compares them with the libraries' own headers, if these are installed.

#include <stddef.h>
#include <stdint.h>

// liblzma.so.5: lzma/base.h, lzma/container.h.

enum {
  declared_lzma_ok = 0,
  declared_lzma_stream_end = 1,
  declared_lzma_unsupported_check = 3,
  declared_lzma_mem_error = 5,
  declared_lzma_memlimit_error = 6,
  declared_lzma_format_error = 7,
  declared_lzma_options_error = 8,
  declared_lzma_data_error = 9,
  declared_lzma_buf_error = 10,
};

enum { declared_lzma_run = 0, declared_lzma_finish = 3 };

enum { declared_lzma_tell_unsupported_check = 2 };

struct declared_lzma_stream {
  const uint8_t *next_in;
  size_t avail_in;
  uint64_t total_in;
  uint8_t *next_out;
  size_t avail_out;
  uint64_t total_out;
  const void *allocator;
  void *internal;
  void *reserved_pointers[4];
  uint64_t reserved_integers[2];
  size_t reserved_sizes[2];
  int reserved_enums[2];
};

/// Since 5.2; the limits since 5.4, which replace reserved fields.
struct declared_lzma_mt {
  uint32_t flags;
  uint32_t threads;
  uint64_t block_size;
  uint32_t timeout;
  uint32_t preset;
  const void *filters;
  int check;
  int reserved_enums[3];
  uint32_t reserved_integers[4];
  uint64_t memlimit_threading;
  uint64_t memlimit_stop;
  uint64_t reserved_long_integers[2];
  void *reserved_pointers[4];
};

// libzstd.so.1: zstd.h, zstd_errors.h.

struct declared_zstd_in {
  const void *src;
  size_t size;
  size_t pos;
};

struct declared_zstd_out {
  void *dst;
  size_t size;
  size_t pos;
};

enum { declared_zstd_reset_session_only = 1, declared_zstd_d_window_log_max = 100 };
enum { declared_zstd_error_memory_allocation = 64 };

// libbz2.so.1.0: bzlib.h.

enum {
  declared_bz_ok = 0,
  declared_bz_stream_end = 4,
  declared_bz_mem_error = -3,
  declared_bz_data_error = -4,
  declared_bz_data_error_magic = -5,
};

struct declared_bz_stream {
  char *next_in;
  unsigned int avail_in;
  unsigned int total_in_lo32;
  unsigned int total_in_hi32;
  char *next_out;
  unsigned int avail_out;
  unsigned int total_out_lo32;
  unsigned int total_out_hi32;
  void *state;
  void *(*bzalloc)(void *, int, int);
  void (*bzfree)(void *, void *);
  void *opaque;
};

#pragma once

// What ContentPipeline uses of liblzma, libzstd and libbz2. Nothing links to them: each is loaded when the first data
// of its format come (docs/decisions/0020), and its functions and structures are declared here, so that a build needs
// none of their headers.
//
// A load function must not be called by two threads at once, and comes before all others of its library. It returns
// NULL, or the file name of the library that cannot be used.
//
// A step function takes from `input` and fills `output` until one of the two is used up or the part of the data ends.
// It returns 0 for more, 1 for the end of the part, or a negative number that says what is wrong.

#include <stddef.h>
#include <stdint.h>

/// The numbers that a step function of xz or bzip2 returns for what is wrong.
enum {
  decodershim_damaged = -1,
  /// Not the format that was begun.
  decodershim_other_format = -2,
  decodershim_no_memory = -3,
  /// More memory is needed than was allowed.
  decodershim_memory_limit = -4,
  /// Valid, but with options that the library does not know.
  decodershim_unsupported = -5,
  /// The integrity check is of a type that the library does not know.
  decodershim_unsupported_check = -6,
  decodershim_failed = -7,
};

const char *_Nullable decodershim_load_xz(void);
/// NULL when there is no memory.
void *_Nullable decodershim_xz_new(void);
void decodershim_xz_free(void *_Nonnull decoder);
/// Stands at the start of a stream of .xz, or of a .lzma file. Returns 0 or what is wrong.
///
/// Several threads are used only where the library has a decoder for them, the file was made in blocks, and all of them
/// together need no more than `threading_limit` bytes.
int decodershim_xz_begin(
    void *_Nonnull decoder, int is_lzma, unsigned threads, uint64_t memory_limit, uint64_t threading_limit);
/// `is_last`: no more input will come.
int decodershim_xz_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    int is_last, size_t *_Nonnull used, size_t *_Nonnull made);

const char *_Nullable decodershim_load_zstd(void);
/// Allows windows of up to 2 to the power of `window_log` bytes; NULL when there is no memory.
void *_Nullable decodershim_zstd_new(int window_log);
void decodershim_zstd_free(void *_Nonnull decoder);
/// Stands at the start of a frame. Returns 0 or a number for decodershim_zstd_words.
int decodershim_zstd_begin(void *_Nonnull decoder);
int decodershim_zstd_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);
/// What is wrong, by the library's own words, which live forever.
const char *_Nonnull decodershim_zstd_words(int code);
/// Whether the code says that memory is short.
int decodershim_zstd_is_memory(int code);

const char *_Nullable decodershim_load_bzip2(void);
/// NULL when there is no memory.
void *_Nullable decodershim_bzip2_new(void);
void decodershim_bzip2_free(void *_Nonnull decoder);
/// Stands at the start of a stream. Returns 0 or what is wrong.
int decodershim_bzip2_begin(void *_Nonnull decoder);
int decodershim_bzip2_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);

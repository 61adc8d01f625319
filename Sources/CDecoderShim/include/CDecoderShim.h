#pragma once

// The functions of liblzma, libzstd and libbz2 that ContentPipeline uses. Nothing links to these libraries: each is
// loaded when the first data of its format arrive (docs/decisions/0020). Its functions and structures are declared
// here, so that a build needs none of their headers.
//
// A load function must be called before all others of its library, and not by two threads at once. It returns NULL,
// or the file name of the library that cannot be used.
//
// A step function takes from `input` and fills `output` until one of the two is used up or the part of the data ends.
// It returns 0 for more, 1 for the end of the part, or a negative number for a fault.

#include <stddef.h>
#include <stdint.h>

/// The fault numbers that a step function of xz or bzip2 returns.
enum {
  decodershim_damaged = -1,
  /// The data are not of this format.
  decodershim_other_format = -2,
  decodershim_no_memory = -3,
  /// More memory is needed than allowed.
  decodershim_memory_limit = -4,
  /// The data are valid, but have options that the library does not know.
  decodershim_unsupported = -5,
  /// The integrity check is of a type that the library does not know.
  decodershim_unsupported_check = -6,
  decodershim_failed = -7,
};

const char *_Nullable decodershim_load_xz(void);
/// NULL if there is no memory.
void *_Nullable decodershim_xz_new(void);
void decodershim_xz_free(void *_Nonnull decoder);
/// Resets the decoder to the start of a stream of .xz, or of a .lzma file. Returns 0 or a fault number.
///
/// Several threads are used only if the library has a decoder for them, the file was made in blocks, and all of them
/// together need at most `threading_limit` bytes.
int decodershim_xz_begin(
    void *_Nonnull decoder, int is_lzma, unsigned threads, uint64_t memory_limit, uint64_t threading_limit);
/// `is_last`: no more input will come.
int decodershim_xz_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    int is_last, size_t *_Nonnull used, size_t *_Nonnull made);

const char *_Nullable decodershim_load_zstd(void);
/// Allows windows of up to 2 to the power of `window_log` bytes; NULL if there is no memory.
void *_Nullable decodershim_zstd_new(int window_log);
void decodershim_zstd_free(void *_Nonnull decoder);
/// Resets the decoder to the start of a frame. Returns 0 or a number for decodershim_zstd_words.
int decodershim_zstd_begin(void *_Nonnull decoder);
int decodershim_zstd_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);
/// The fault in the library's words, a text that is never freed.
const char *_Nonnull decodershim_zstd_words(int code);
/// Whether the code means a lack of memory.
int decodershim_zstd_is_memory(int code);

const char *_Nullable decodershim_load_bzip2(void);
/// NULL if there is no memory.
void *_Nullable decodershim_bzip2_new(void);
void decodershim_bzip2_free(void *_Nonnull decoder);
/// Resets the decoder to the start of a stream. Returns 0 or a fault number.
int decodershim_bzip2_begin(void *_Nonnull decoder);
int decodershim_bzip2_step(
    void *_Nonnull decoder, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);

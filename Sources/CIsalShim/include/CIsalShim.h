#pragma once

// The functions of ISA-L that ContentPipeline uses, if it is installed: Intel's library inflates two to three times
// as fast as zlib (docs/decisions/0007). Nothing links to it, and its headers are not needed, either.

#include <stddef.h>
#include <stdint.h>

/// Loads the library and tests it; 0 if it cannot be used. Must be called before all others, and not by two threads
/// at once.
int isalshim_load(void);

/// At the start of a gzip member; NULL if there is no memory.
void *_Nullable isalshim_new(void);
void isalshim_free(void *_Nonnull inflater);
/// Resets the decoder to the start of a member.
void isalshim_reset(void *_Nonnull inflater);

/// Resets the decoder to the start of deflated data without a header and a trailer (RFC 1951).
void isalshim_reset_raw(void *_Nonnull inflater);

/// How many whole bytes the library has taken and not used: behind the end of raw data they belong to someone else.
size_t isalshim_unused(const void *_Nonnull inflater);

/// The CRC-32 of the decompressed bytes, at the end of raw data.
unsigned isalshim_crc(const void *_Nonnull inflater);

/// Takes from `input` and fills `output` until one of the two is used up or the member ends.
///
/// Returns 0 for more, 1 for the end of raw data or of a member with a correct checksum, or a negative number that
/// isalshim_words explains. After a fault `used` is where it was found, and nothing counts as made.
int isalshim_inflate(
    void *_Nonnull inflater, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);

const char *_Nonnull isalshim_words(int code);

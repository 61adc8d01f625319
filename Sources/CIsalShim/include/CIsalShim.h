#pragma once

// What ContentPipeline uses of ISA-L, Intel's library that inflates two to three times as fast as zlib, where
// it is installed (docs/decisions/0007). Nothing links to it, and its headers are not needed either.

#include <stddef.h>
#include <stdint.h>

/// Looks for the library and tries it; 0 where it cannot be used. Not to be called by two threads at once, and before all others.
int isalshim_load(void);

/// At the start of a gzip member; NULL when there is no memory.
void *_Nullable isalshim_new(void);
void isalshim_free(void *_Nonnull inflater);
/// Stands at the start of a member again.
void isalshim_reset(void *_Nonnull inflater);

/// Takes from `input` and fills `output` until one of the two is used up or the member ends.
///
/// Returns 0 for more, 1 for the end of the member, its checksum held, or a negative number that
/// isalshim_words explains.
int isalshim_inflate(
    void *_Nonnull inflater, const void *_Nullable input, size_t size, void *_Nullable output, size_t room,
    size_t *_Nonnull used, size_t *_Nonnull made);

const char *_Nonnull isalshim_words(int code);

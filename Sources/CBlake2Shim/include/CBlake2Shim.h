#pragma once

// BLAKE2b with 64 bytes by OpenSSL's libcrypto, which is loaded at first use (docs/decisions/0021). Nothing links to
// it.

#include <stddef.h>
#include <stdint.h>

/// Loads the library; 0 if it is missing or has no BLAKE2b. Must be called before all others, and not by two threads
/// at once.
int blake2shim_load(void);

/// The state of a digest of no bytes yet; NULL if there is no memory.
void *_Nullable blake2shim_new(void);
void *_Nullable blake2shim_copy(const void *_Nonnull state);
void blake2shim_free(void *_Nonnull state);
/// Returns 0 if the library fails.
int blake2shim_update(void *_Nonnull state, const void *_Nullable bytes, size_t size);
/// Writes 64 bytes; the state must not be used afterwards. Returns 0 if the library fails.
int blake2shim_finish(void *_Nonnull state, uint8_t *_Nonnull digest);

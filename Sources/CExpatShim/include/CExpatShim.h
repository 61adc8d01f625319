#pragma once

// What Lists uses of expat, which is loaded at first use (docs/decisions/0022). Nothing links to it.

#include <stddef.h>

/// Looks for the library; 0 if it cannot be used. Not to be called by two threads at once, and before all others.
int expatshim_load(void);

/// What a parser reports; texts are UTF-8 and last for the call. `attributes`: name, value, name, value, …, NULL.
/// Names have their namespace before them and a blank between the two.
struct expatshim_events {
  void (*_Nonnull began)(void *_Nullable context, const char *_Nonnull name,
                         const char *_Nullable const *_Nonnull attributes);
  void (*_Nonnull ended)(void *_Nullable context, const char *_Nonnull name);
  void (*_Nonnull text)(void *_Nullable context, const char *_Nonnull bytes, int size);
};

enum expatshim_outcome {
  expatshim_whole,
  /// Not well-formed.
  expatshim_malformed,
  /// There is a DOCTYPE; nothing behind it was read.
  expatshim_doctype,
  expatshim_no_memory,
};

/// Reads a whole document. `line` gets where it is malformed, from 1, and `words` what expat says of it.
enum expatshim_outcome expatshim_parse(
    const char *_Nonnull bytes, size_t size, struct expatshim_events events, void *_Nullable context,
    size_t *_Nonnull line, const char *_Nullable *_Nonnull words);

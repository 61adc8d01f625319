#pragma once

// The functions of expat that Lists uses. expat is loaded at first use (docs/decisions/0022); nothing links to it.

#include <stddef.h>

/// Loads the library; 0 if it cannot be used. Must be called before all others, and not by two threads at once.
int expatshim_load(void);

/// The events of a parser; texts are UTF-8 and valid only during the call. `attributes`: name, value, name, value, …,
/// NULL. A name is `LOCAL`, `NAMESPACE LOCAL` or `NAMESPACE LOCAL PREFIX`, with the separator instead of the blanks.
/// `began` and `ended` return whether the text behind them is wanted.
struct expatshim_events {
  int (*_Nonnull began)(void *_Nullable context, const char *_Nonnull name, size_t name_size,
                        const char *_Nullable const *_Nonnull attributes);
  int (*_Nonnull ended)(void *_Nullable context, const char *_Nonnull name);
  void (*_Nonnull text)(void *_Nullable context, const char *_Nonnull bytes, int size);
};

/// A character that no XML document contains, not even in a reference.
#define expatshim_separator "\f"

enum expatshim_outcome {
  expatshim_whole,
  /// Not well-formed.
  expatshim_malformed,
  /// There is a DOCTYPE; nothing after it was read.
  expatshim_doctype,
  /// The document needs more than a few times its size.
  expatshim_no_memory,
};

/// Reads a whole document. For a malformed one, `line` gets the line of the fault, from 1, and `words` expat's text.
enum expatshim_outcome expatshim_parse(
    const char *_Nonnull bytes, size_t size, struct expatshim_events events, void *_Nullable context,
    size_t *_Nonnull line, const char *_Nullable *_Nonnull words);

#pragma once

// The functions of expat that Lists uses. expat is loaded at first use (docs/decisions/0022); nothing links to it.

#include <stddef.h>

/// Loads the library; 0 if it cannot be used. Must be called before all others, and not by two threads at once.
int expatshim_load(void);

/// The events of a parser; texts are UTF-8 and valid only during the call. `attributes`: name, value, name, value, …,
/// NULL. Names have their namespace before them and a blank between the two.
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
  /// There is a DOCTYPE; nothing after it was read.
  expatshim_doctype,
  expatshim_no_memory,
};

/// Reads a whole document. For a malformed one, `line` gets the line of the fault, from 1, and `words` expat's text.
enum expatshim_outcome expatshim_parse(
    const char *_Nonnull bytes, size_t size, struct expatshim_events events, void *_Nullable context,
    size_t *_Nonnull line, const char *_Nullable *_Nonnull words);

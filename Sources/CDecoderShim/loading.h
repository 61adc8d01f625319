#pragma once

#include <dlfcn.h>
#include <stddef.h>

/// A required function, and the place for its address; `optional`: an older library may lack it.
struct wanted {
  void *slot;
  const char *name;
  int optional;
};

/// Loads a library by its file name and looks up its functions; 0 if one of them is missing.
static inline int load(const char *const *names, size_t name_count, const struct wanted *wanted, size_t count) {
  void *library = NULL;
  for (size_t i = 0; i < name_count && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  for (size_t i = 0; i < count; i++) {
    void *function = dlsym(library, wanted[i].name);
    if (!function && !wanted[i].optional) return 0;
    *(void **)wanted[i].slot = function;
  }
  return 1;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

// macOS: the system has libbz2 and keeps it in its cache of libraries; the others are Homebrew's. Without a folder, macOS
// would also look in the current one, where outputs are.
#ifdef __APPLE__
#define NAMES(stem, linux_version, mac_version) \
  {"/opt/homebrew/lib/" stem "." mac_version ".dylib", \
   "/usr/local/lib/" stem "." mac_version ".dylib", "/usr/lib/" stem "." mac_version ".dylib"}
#define LOADED_NAME(stem, linux_version, mac_version) stem "." mac_version ".dylib"
#else
#define NAMES(stem, linux_version, mac_version) {stem ".so." linux_version}
#define LOADED_NAME(stem, linux_version, mac_version) stem ".so." linux_version
#endif

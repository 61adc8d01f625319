#include "CBlake2Shim.h"

#include <dlfcn.h>

// Declared here, since the headers of OpenSSL need not be installed; these functions have not changed since 1.1.0.
static struct {
  void *(*new_context)(void);
  void (*free_context)(void *);
  int (*copy)(void *, const void *);
  const void *(*algorithm)(void);
  int (*init)(void *, const void *, void *);
  int (*update)(void *, const void *, size_t);
  int (*finish)(void *, unsigned char *, unsigned int *);
} api;

static void *open_library(void) {
#ifdef __APPLE__
  // Without a folder, macOS would also look in the current one, where outputs are.
  static const char *const names[] = {
      "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
      "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib"};
#else
  static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
#endif
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

int blake2shim_load(void) {
  void *library = open_library();
  if (!library) return 0;
  *(void **)&api.new_context = dlsym(library, "EVP_MD_CTX_new");
  *(void **)&api.free_context = dlsym(library, "EVP_MD_CTX_free");
  *(void **)&api.copy = dlsym(library, "EVP_MD_CTX_copy_ex");
  *(void **)&api.algorithm = dlsym(library, "EVP_blake2b512");
  *(void **)&api.init = dlsym(library, "EVP_DigestInit_ex");
  *(void **)&api.update = dlsym(library, "EVP_DigestUpdate");
  *(void **)&api.finish = dlsym(library, "EVP_DigestFinal_ex");
  if (!api.new_context || !api.free_context || !api.copy || !api.algorithm || !api.init || !api.update || !api.finish)
    return 0;
  // A library that allows only some algorithms has the function but refuses to start the digest.
  void *state = blake2shim_new();
  if (!state) return 0;
  blake2shim_free(state);
  return 1;
}

void *blake2shim_new(void) {
  void *state = api.new_context();
  if (!state) return NULL;
  if (api.init(state, api.algorithm(), NULL) == 1) return state;
  api.free_context(state);
  return NULL;
}

void *blake2shim_copy(const void *original) {
  void *state = api.new_context();
  if (!state) return NULL;
  if (api.copy(state, original) == 1) return state;
  api.free_context(state);
  return NULL;
}

void blake2shim_free(void *state) { api.free_context(state); }

int blake2shim_update(void *state, const void *bytes, size_t size) { return api.update(state, bytes, size) == 1; }

int blake2shim_finish(void *state, uint8_t *digest) { return api.finish(state, digest, NULL) == 1; }

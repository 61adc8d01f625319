#include "CIsalShim.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<isa-l/igzip_lib.h>)
#define HAS_ISAL 1
#endif
#endif

#if HAS_ISAL

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

static struct {
  void (*init)(struct inflate_state *);
  void (*reset)(struct inflate_state *);
  int (*inflate)(struct inflate_state *);
} api;

int isalshim_load(void) {
  void *library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  *(void **)&api.init = dlsym(library, "isal_inflate_init");
  *(void **)&api.reset = dlsym(library, "isal_inflate_reset");
  *(void **)&api.inflate = dlsym(library, "isal_inflate");
  return api.init && api.reset && api.inflate;
}

void *isalshim_new(void) {
  struct inflate_state *state = malloc(sizeof *state);
  if (!state) return NULL;
  api.init(state);
  state->crc_flag = ISAL_GZIP;
  return state;
}

void isalshim_free(void *inflater) { free(inflater); }

void isalshim_reset(void *inflater) {
  struct inflate_state *state = inflater;
  api.reset(state);
  state->crc_flag = ISAL_GZIP;
}

int isalshim_inflate(
    void *inflater, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  struct inflate_state *state = inflater;
  state->next_in = (uint8_t *)input; // It is only read.
  state->avail_in = (uint32_t)size;
  state->next_out = output;
  state->avail_out = (uint32_t)room;
  int code = api.inflate(state);
  *used = size - state->avail_in;
  *made = room - state->avail_out;
  if (code < 0) return code;
  return state->block_state == ISAL_BLOCK_FINISH;
}

const char *isalshim_words(int code) {
  switch (code) {
  case ISAL_INVALID_BLOCK: return "invalid block";
  case ISAL_INVALID_SYMBOL: return "invalid code";
  case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
  case ISAL_INVALID_WRAPPER: return "incorrect header";
  case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
  case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
  default: return "invalid data";
  }
}

#else

int isalshim_load(void) { return 0; }
void *isalshim_new(void) { return NULL; }
void isalshim_free(void *inflater) { (void)inflater; }
void isalshim_reset(void *inflater) { (void)inflater; }
int isalshim_inflate(
    void *inflater, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  (void)inflater, (void)input, (void)size, (void)output, (void)room, (void)used, (void)made;
  return -1;
}
const char *isalshim_words(int code) {
  (void)code;
  return "";
}

#endif

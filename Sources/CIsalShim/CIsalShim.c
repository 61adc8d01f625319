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
  void (*begin_header)(struct isal_gzip_header *);
  int (*read_header)(struct inflate_state *, struct isal_gzip_header *);
} api;

// isal_inflate would begin a header that comes in two pieces with a new record of it, and forget the checksum and
// the flags of the first piece: so the header is read here, with one record that lasts.
struct inflater {
  struct inflate_state state;
  struct isal_gzip_header header;
  int is_behind_header;
};

static void begin(struct inflater *inflater) {
  inflater->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
  api.begin_header(&inflater->header);
  inflater->is_behind_header = 0;
}

int isalshim_load(void) {
  void *library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  *(void **)&api.init = dlsym(library, "isal_inflate_init");
  *(void **)&api.reset = dlsym(library, "isal_inflate_reset");
  *(void **)&api.inflate = dlsym(library, "isal_inflate");
  *(void **)&api.begin_header = dlsym(library, "isal_gzip_header_init");
  *(void **)&api.read_header = dlsym(library, "isal_read_gzip_header");
  return api.init && api.reset && api.inflate && api.begin_header && api.read_header;
}

void *isalshim_new(void) {
  struct inflater *inflater = malloc(sizeof *inflater);
  if (!inflater) return NULL;
  api.init(&inflater->state);
  begin(inflater);
  return inflater;
}

void isalshim_free(void *inflater) { free(inflater); }

void isalshim_reset(void *inflater) {
  api.reset(&((struct inflater *)inflater)->state);
  begin(inflater);
}

int isalshim_inflate(
    void *opaque, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  struct inflater *inflater = opaque;
  struct inflate_state *state = &inflater->state;
  state->next_in = (uint8_t *)input; // It is only read.
  state->avail_in = (uint32_t)size;
  state->next_out = output;
  state->avail_out = (uint32_t)room;
  int code = ISAL_DECOMP_OK;
  if (!inflater->is_behind_header) {
    code = api.read_header(state, &inflater->header);
    inflater->is_behind_header = code == ISAL_DECOMP_OK;
  }
  if (inflater->is_behind_header) code = api.inflate(state);
  *used = size - state->avail_in;
  *made = room - state->avail_out;
  if (code < 0) return code;
  return inflater->is_behind_header && state->block_state == ISAL_BLOCK_FINISH;
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

#include "CIsalShim.h"

#include "declared.h"

#ifdef __linux__

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct {
  void (*init)(struct declared_inflate_state *);
  void (*reset)(struct declared_inflate_state *);
  int (*inflate)(struct declared_inflate_state *);
  void (*begin_header)(struct declared_isal_gzip_header *);
  int (*read_header)(struct declared_inflate_state *, struct declared_isal_gzip_header *);
} api;

// If a header comes in two pieces, isal_inflate would use a new record for each, and lose the checksum and the flags
// of the first piece. So the header is read here, with one record.
struct inflater {
  struct declared_inflate_state state;
  struct declared_isal_gzip_header header;
  int is_behind_header;
};

static void begin(struct inflater *inflater) {
  inflater->state.crc_flag = declared_isal_gzip_no_hdr_ver;
  api.begin_header(&inflater->header);
  inflater->is_behind_header = 0;
}

static void begin_raw(struct inflater *inflater) {
  inflater->state.crc_flag = declared_isal_gzip_no_hdr;
  inflater->is_behind_header = 1;
}

/// Whether the library unpacks a gzip member, or the same without its header, and stays inside our structure.
static int unpacks(const uint8_t *packed, size_t size, int is_raw) {
  static const char expected[] = "aaaaaaaaaaaaaaaa\n";
  enum { guard = 4096, crc = 0xc4a1f6a0 };
  struct inflater *inflater = malloc(sizeof *inflater + guard);
  if (!inflater) return 0;
  uint8_t *behind = (uint8_t *)inflater + sizeof *inflater;
  memset(behind, 0x5a, guard);
  char out[sizeof expected];
  size_t used = 0, made = 0;
  api.init(&inflater->state);
  if (is_raw) begin_raw(inflater);
  else begin(inflater);
  int is_right = isalshim_inflate(inflater, packed, size, out, sizeof out, &used, &made) == 1 &&
                 made == sizeof expected - 1 && memcmp(out, expected, made) == 0;
  // Raw data are followed by the trailer.
  if (is_raw) is_right &= used - isalshim_unused(inflater) == size - 8 && isalshim_crc(inflater) == crc;
  else is_right &= used == size;
  for (size_t i = 0; i < guard; i++) is_right &= behind[i] == 0x5a;
  free(inflater);
  return is_right;
}

/// Whether the library works with our declarations: a version with another layout of its state would stop at another
/// place, or write beyond our structure.
static int works(void) {
  // "aaaaaaaaaaaaaaaa\n", by gzip -n.
  static const uint8_t packed[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c, 0x44, 5, 0x5c, 0, 0xa0, 0xf6, 0xa1,
                                   0xc4, 0x11, 0, 0, 0};
  enum { header = 10 };
  return unpacks(packed, sizeof packed, 0) && unpacks(packed + header, sizeof packed - header, 1);
}

int isalshim_load(void) {
  void *library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  *(void **)&api.init = dlsym(library, "isal_inflate_init");
  *(void **)&api.reset = dlsym(library, "isal_inflate_reset");
  *(void **)&api.inflate = dlsym(library, "isal_inflate");
  *(void **)&api.begin_header = dlsym(library, "isal_gzip_header_init");
  *(void **)&api.read_header = dlsym(library, "isal_read_gzip_header");
  return api.init && api.reset && api.inflate && api.begin_header && api.read_header && works();
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

void isalshim_reset_raw(void *inflater) {
  api.reset(&((struct inflater *)inflater)->state);
  begin_raw(inflater);
}

/// How many whole bytes the library holds that it has not decoded.
static size_t held(const struct declared_inflate_state *state) {
  return state->read_in_length > 0 ? (size_t)state->read_in_length / 8 : 0;
}

size_t isalshim_unused(const void *inflater) { return held(&((const struct inflater *)inflater)->state); }

unsigned isalshim_crc(const void *inflater) { return ((const struct inflater *)inflater)->state.crc; }

/// How many bytes of the input come before a fault.
///
/// next_in says it, but not avail_in: if a distance goes too far back, the library's main loop leaves it too small by
/// the 8 bytes that it keeps free at the end of the input, perhaps below zero (ISA-L 2.30 to 2.32). The library also
/// holds bytes that it has not decoded yet.
static size_t used_before_fault(const struct declared_inflate_state *state, const uint8_t *input, size_t size) {
  if (!input || state->next_in < input || state->next_in > input + size) return 0;
  size_t taken = (size_t)(state->next_in - input);
  return taken > held(state) ? taken - held(state) : 0;
}

int isalshim_inflate(
    void *opaque, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  struct inflater *inflater = opaque;
  struct declared_inflate_state *state = &inflater->state;
  state->next_in = (uint8_t *)input; // It is only read.
  state->avail_in = (uint32_t)size;
  state->next_out = output;
  state->avail_out = (uint32_t)room;
  int code = declared_isal_decomp_ok;
  if (!inflater->is_behind_header) {
    code = api.read_header(state, &inflater->header);
    inflater->is_behind_header = code == declared_isal_decomp_ok;
  }
  if (inflater->is_behind_header) code = api.inflate(state);
  if (code < 0) {
    *used = used_before_fault(state, input, size);
    // With a distance too far back the library counts the match, but does not write it.
    *made = 0;
    return code;
  }
  *used = size - state->avail_in;
  *made = room - state->avail_out;
  return inflater->is_behind_header && state->block_state == declared_isal_block_finish;
}

const char *isalshim_words(int code) {
  switch (code) {
  case declared_isal_invalid_block: return "invalid block";
  case declared_isal_invalid_symbol: return "invalid code";
  case declared_isal_invalid_lookback: return "invalid distance too far back";
  case declared_isal_invalid_wrapper: return "incorrect header";
  case declared_isal_unsupported_method: return "unknown compression method";
  case declared_isal_incorrect_checksum: return "incorrect data check";
  default: return "invalid data";
  }
}

#else

int isalshim_load(void) { return 0; }
void *isalshim_new(void) { return NULL; }
void isalshim_free(void *inflater) { (void)inflater; }
void isalshim_reset(void *inflater) { (void)inflater; }
void isalshim_reset_raw(void *inflater) { (void)inflater; }
size_t isalshim_unused(const void *inflater) {
  (void)inflater;
  return 0;
}
unsigned isalshim_crc(const void *inflater) {
  (void)inflater;
  return 0;
}
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

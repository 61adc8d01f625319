#include "CDecoderShim.h"
#include "declared.h"
#include "loading.h"

#include <stdlib.h>
#include <string.h>

static struct {
  int (*init)(struct declared_bz_stream *, int, int);
  int (*decompress)(struct declared_bz_stream *);
  int (*end)(struct declared_bz_stream *);
} api;

const char *decodershim_load_bzip2(void) {
#ifdef __APPLE__
  static const char *const names[] = NAMES("libbz2", "1.0", "1.0");
#else
  // One interface under two names: that of Debian and upstream, and that of Fedora and openSUSE.
  static const char *const names[] = {"libbz2.so.1.0", "libbz2.so.1"};
#endif
  const struct wanted wanted[] = {
      {&api.init, "BZ2_bzDecompressInit", 0},
      {&api.decompress, "BZ2_bzDecompress", 0},
      {&api.end, "BZ2_bzDecompressEnd", 0},
  };
  return load(names, COUNT(names), wanted, COUNT(wanted)) ? NULL : LOADED_NAME("libbz2", "1.0", "1.0");
}

static int answer(int code) {
  switch (code) {
  case declared_bz_ok: return 0;
  case declared_bz_stream_end: return 1;
  case declared_bz_mem_error: return decodershim_no_memory;
  case declared_bz_data_error: return decodershim_damaged;
  case declared_bz_data_error_magic: return decodershim_other_format;
  default: return decodershim_failed;
  }
}

void *decodershim_bzip2_new(void) { return calloc(1, sizeof(struct declared_bz_stream)); }

void decodershim_bzip2_free(void *decoder) {
  (void)api.end(decoder); // Does nothing to one that never began.
  free(decoder);
}

int decodershim_bzip2_begin(void *decoder) {
  (void)api.end(decoder);
  memset(decoder, 0, sizeof(struct declared_bz_stream));
  return answer(api.init(decoder, 0, 0));
}

int decodershim_bzip2_step(
    void *decoder, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  struct declared_bz_stream *stream = decoder;
  stream->next_in = (char *)input; // It is only read.
  stream->avail_in = (unsigned int)size;
  stream->next_out = output;
  stream->avail_out = (unsigned int)room;
  int code = api.decompress(stream);
  *used = size - stream->avail_in;
  *made = room - stream->avail_out;
  return answer(code);
}

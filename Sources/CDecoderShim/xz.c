#include "CDecoderShim.h"
#include "declared.h"
#include "loading.h"

#include <stdlib.h>

static struct {
  int (*stream_decoder)(struct declared_lzma_stream *, uint64_t, uint32_t);
  int (*stream_decoder_mt)(struct declared_lzma_stream *, const struct declared_lzma_mt *);
  int (*auto_decoder)(struct declared_lzma_stream *, uint64_t, uint32_t);
  int (*code)(struct declared_lzma_stream *, int);
  void (*end)(struct declared_lzma_stream *);
} api;

const char *decodershim_load_xz(void) {
  static const char *const names[] = NAMES("liblzma", "5", "5");
  const struct wanted wanted[] = {
      {&api.stream_decoder, "lzma_stream_decoder", 0},
      {&api.stream_decoder_mt, "lzma_stream_decoder_mt", 1}, // since 5.4
      {&api.auto_decoder, "lzma_auto_decoder", 0},
      {&api.code, "lzma_code", 0},
      {&api.end, "lzma_end", 0},
  };
  return load(names, COUNT(names), wanted, COUNT(wanted)) ? NULL : LOADED_NAME("liblzma", "5", "5");
}

void *decodershim_xz_new(void) { return calloc(1, sizeof(struct declared_lzma_stream)); }

void decodershim_xz_free(void *decoder) {
  api.end(decoder);
  free(decoder);
}

static int answer(int code) {
  switch (code) {
  case declared_lzma_ok:
  case declared_lzma_buf_error: return 0; // Nothing could be done: there is no input, or no room.
  case declared_lzma_stream_end: return 1;
  case declared_lzma_unsupported_check: return decodershim_unsupported_check;
  case declared_lzma_mem_error: return decodershim_no_memory;
  case declared_lzma_memlimit_error: return decodershim_memory_limit;
  case declared_lzma_format_error: return decodershim_other_format;
  case declared_lzma_options_error: return decodershim_unsupported;
  case declared_lzma_data_error: return decodershim_damaged;
  default: return decodershim_failed;
  }
}

// The memory of a decoder is reused for the next stream.
int decodershim_xz_begin(
    void *decoder, int is_lzma, unsigned threads, uint64_t memory_limit, uint64_t threading_limit) {
  const uint32_t flags = declared_lzma_tell_unsupported_check;
  // It accepts a .lzma header only if an encoder can have made it: that format has no magic bytes.
  if (is_lzma) return answer(api.auto_decoder(decoder, memory_limit, flags));
  if (threads < 2 || !api.stream_decoder_mt) return answer(api.stream_decoder(decoder, memory_limit, flags));
  struct declared_lzma_mt options = {0};
  options.flags = flags;
  options.threads = threads;
  options.memlimit_threading = threading_limit;
  options.memlimit_stop = memory_limit;
  return answer(api.stream_decoder_mt(decoder, &options));
}

int decodershim_xz_step(
    void *decoder, const void *input, size_t size, void *output, size_t room, int is_last, size_t *used,
    size_t *made) {
  struct declared_lzma_stream *stream = decoder;
  stream->next_in = input;
  stream->avail_in = size;
  stream->next_out = output;
  stream->avail_out = room;
  int code = api.code(stream, is_last ? declared_lzma_finish : declared_lzma_run);
  *used = size - stream->avail_in;
  *made = room - stream->avail_out;
  return answer(code);
}

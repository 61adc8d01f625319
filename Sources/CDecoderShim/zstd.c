#include "CDecoderShim.h"
#include "declared.h"
#include "loading.h"

static struct {
  void *(*create)(void);
  size_t (*free)(void *);
  size_t (*reset)(void *, int);
  size_t (*set_parameter)(void *, int, int);
  size_t (*decompress)(void *, struct declared_zstd_out *, struct declared_zstd_in *);
  unsigned (*is_error)(size_t);
  int (*error_code)(size_t);
  const char *(*error_words)(int);
} api;

const char *decodershim_load_zstd(void) {
  static const char *const names[] = NAMES("libzstd", "1", "1");
  const struct wanted wanted[] = {
      {&api.create, "ZSTD_createDStream", 0},       {&api.free, "ZSTD_freeDStream", 0},
      {&api.reset, "ZSTD_DCtx_reset", 0},           {&api.set_parameter, "ZSTD_DCtx_setParameter", 0},
      {&api.decompress, "ZSTD_decompressStream", 0}, {&api.is_error, "ZSTD_isError", 0},
      {&api.error_code, "ZSTD_getErrorCode", 0},    {&api.error_words, "ZSTD_getErrorString", 0},
  };
  return load(names, COUNT(names), wanted, COUNT(wanted)) ? NULL : LOADED_NAME("libzstd", "1", "1");
}

static int answer(size_t code) { return api.is_error(code) ? -api.error_code(code) : 0; }

void *decodershim_zstd_new(int window_log) {
  void *decoder = api.create();
  if (decoder) (void)api.set_parameter(decoder, declared_zstd_d_window_log_max, window_log);
  return decoder;
}

void decodershim_zstd_free(void *decoder) { (void)api.free(decoder); }

int decodershim_zstd_begin(void *decoder) {
  return answer(api.reset(decoder, declared_zstd_reset_session_only));
}

int decodershim_zstd_step(
    void *decoder, const void *input, size_t size, void *output, size_t room, size_t *used, size_t *made) {
  struct declared_zstd_in in = {input, size, 0};
  struct declared_zstd_out out = {output, room, 0};
  size_t code = api.decompress(decoder, &out, &in);
  *used = in.pos;
  *made = out.pos;
  if (api.is_error(code)) return answer(code);
  return code == 0;
}

const char *decodershim_zstd_words(int code) { return api.error_words(-code); }

int decodershim_zstd_is_memory(int code) { return -code == declared_zstd_error_memory_allocation; }

/* The speed of inflating by a library alone: from memory to memory, in pieces, with the checksum.
 *
 * usage: inflate zlib|isal FILE.gz
 * ISA-L is available if the file was compiled with -DHAVE_ISAL. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum { piece = 256 << 10 };
static unsigned char *input, output[1 << 20];
static size_t size;

static int with_zlib(void) {
  z_stream stream = {0};
  if (inflateInit2(&stream, 31) != Z_OK) return 1;
  for (size_t at = 0; at < size; at += piece) {
    stream.next_in = input + at;
    stream.avail_in = size - at < piece ? size - at : piece;
    do {
      stream.next_out = output;
      stream.avail_out = sizeof output;
      int code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END) inflateReset(&stream);
      else if (code != Z_OK && code != Z_BUF_ERROR) return 1;
    } while (stream.avail_in || !stream.avail_out);
  }
  return 0;
}

#ifdef HAVE_ISAL
static int with_isal(void) {
  struct inflate_state *state = malloc(sizeof *state);
  isal_inflate_init(state);
  state->crc_flag = ISAL_GZIP;
  for (size_t at = 0; at < size; at += piece) {
    state->next_in = input + at;
    state->avail_in = size - at < piece ? size - at : piece;
    do {
      state->next_out = output;
      state->avail_out = sizeof output;
      if (isal_inflate(state) < 0) return 1;
      if (state->block_state == ISAL_BLOCK_FINISH) {
        unsigned char *rest = state->next_in;
        unsigned left = state->avail_in;
        isal_inflate_reset(state);
        state->crc_flag = ISAL_GZIP;
        state->next_in = rest;
        state->avail_in = left;
        if (!left) break;
      }
    } while (state->avail_in || !state->avail_out);
  }
  return 0;
}
#endif

int main(int argc, char **argv) {
  struct stat status;
  if (argc != 3) return 64;
  int file = open(argv[2], O_RDONLY);
  if (file < 0 || fstat(file, &status) < 0) return 1;
  size = status.st_size;
  input = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (input == MAP_FAILED) return 1;
#ifdef HAVE_ISAL
  if (strcmp(argv[1], "isal") == 0) return with_isal();
#endif
  return strcmp(argv[1], "zlib") == 0 ? with_zlib() : 64;
}

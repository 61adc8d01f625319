#pragma once

// The declarations of ISA-L's igzip_lib.h that CIsalShim.c uses, repeated here so that a build needs no header of
// ISA-L. A test compares them with the header if that is installed, and isalshim_load tests them with the loaded
// library.

#include <stddef.h>
#include <stdint.h>

enum { declared_isal_block_finish = 5 };
/// crc_flag: no header is read, and there is no trailer or it is checked.
enum { declared_isal_gzip_no_hdr = 2, declared_isal_gzip_no_hdr_ver = 6 };

enum {
  declared_isal_decomp_ok = 0,
  declared_isal_invalid_block = -1,
  declared_isal_invalid_symbol = -2,
  declared_isal_invalid_lookback = -3,
  declared_isal_invalid_wrapper = -4,
  declared_isal_unsupported_method = -5,
  declared_isal_incorrect_checksum = -6,
};

struct declared_inflate_state {
  uint8_t *next_out;
  uint32_t avail_out;
  uint32_t total_out;
  uint8_t *next_in;
  uint64_t read_in;
  uint32_t avail_in;
  int32_t read_in_length;
  struct {
    uint32_t short_code_lookup[1 << 12];
    uint16_t long_code_lookup[1264];
  } lit_huff_code;
  struct {
    uint16_t short_code_lookup[1 << 10];
    uint16_t long_code_lookup[80];
  } dist_huff_code;
  int block_state;
  uint32_t dict_length;
  uint32_t bfinal;
  uint32_t crc_flag;
  uint32_t crc;
  uint32_t hist_bits;
  int32_t count;
  int32_t write_overflow_lits;
  int32_t write_overflow_len;
  int32_t copy_overflow_length;
  int32_t copy_overflow_distance;
  int16_t wrapper_flag;
  int16_t tmp_in_size;
  int32_t tmp_out_valid;
  int32_t tmp_out_processed;
  uint8_t tmp_in_buffer[328];
  uint8_t tmp_out_buffer[2 * 32768 + 288];
};

struct declared_isal_gzip_header {
  uint32_t text;
  uint32_t time;
  uint32_t xflags;
  uint32_t os;
  uint8_t *extra;
  uint32_t extra_buf_len;
  uint32_t extra_len;
  char *name;
  uint32_t name_buf_len;
  char *comment;
  uint32_t comment_buf_len;
  uint32_t hcrc;
  uint32_t flags;
};

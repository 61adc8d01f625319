#ifndef SYNCMAKE_CFUZZER_H
#define SYNCMAKE_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a function: looks for inputs that `callback` does not survive, as the arguments say.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif

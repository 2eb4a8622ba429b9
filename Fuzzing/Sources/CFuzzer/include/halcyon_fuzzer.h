#ifndef HALCYON_FUZZER_H
#define HALCYON_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer as a library: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library */
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*run)(const uint8_t *data, size_t size));

#endif

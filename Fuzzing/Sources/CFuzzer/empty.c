#include "halcyon_fuzzer.h"

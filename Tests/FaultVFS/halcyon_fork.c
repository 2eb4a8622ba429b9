#include "halcyon_fork.h"

#include <unistd.h>

int halcyon_fork(void) { return (int)fork(); }

/* In C, because a structure and a function of one name cannot be declared in Swift. */
#include <stdint.h>

struct statfs {
    uint32_t f_bsize;
    uint64_t f_blocks;
    uint64_t f_bavail;
    uint32_t f_flags;
    char f_fstypename[16];
};

int statfs(const char *path, struct statfs *status);

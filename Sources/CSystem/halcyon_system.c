#define _GNU_SOURCE
#include "halcyon_system.h"

#include <errno.h>
#include <stdio.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

int halcyon_exchange(const char *first, const char *second) {
#if defined(__APPLE__)
    return renamex_np(first, second, RENAME_SWAP);
#elif defined(__linux__) && defined(SYS_renameat2)
    const unsigned int exchange = 2; /* RENAME_EXCHANGE of <linux/fs.h> */
    return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, exchange);
#else
    (void)first;
    (void)second;
    errno = ENOSYS;
    return -1;
#endif
}

int64_t halcyon_file_system_type(const char *path) {
#if defined(__linux__)
    struct statfs status;
    return statfs(path, &status) == 0 ? (int64_t)status.f_type : -1;
#else
    (void)path;
    return 0;
#endif
}

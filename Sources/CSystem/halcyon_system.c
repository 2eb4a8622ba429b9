#define _GNU_SOURCE
#include "halcyon_system.h"

#include <errno.h>
#include <stdio.h>

#if defined(__linux__)
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
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

void halcyon_write_in_place(const char *folder) {
#if defined(__linux__)
    const int64_t btrfs = 0x9123683E; /* BTRFS_SUPER_MAGIC of <linux/magic.h> */
    if (halcyon_file_system_type(folder) != btrfs) return;
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return;
    int flags = 0;
    if (ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 && !(flags & FS_NOCOW_FL)) {
        /* Btrfs refuses it together with an inherited setting of compression. */
        flags = (flags | FS_NOCOW_FL) & ~(FS_COMPR_FL | FS_NOCOMP_FL);
        ioctl(file, FS_IOC_SETFLAGS, &flags);
    }
    close(file);
#else
    (void)folder;
#endif
}

#include "halcyon_system.h"

#include <sqlite3.h>
#include <stddef.h>

static sqlite3_vfs vfs, *base;

static int open_file(sqlite3_vfs *unused, const char *path, sqlite3_file *file, int flags, int *opened) {
    (void)unused;
    if (!(flags & SQLITE_OPEN_SUPER_JOURNAL)) return base->xOpen(base, path, file, flags, opened);
    file->pMethods = NULL;
    return SQLITE_IOERR;
}

const char *halcyon_vfs(void) {
    base = sqlite3_vfs_find(NULL);
    if (!base) return NULL;
    vfs = *base;
    vfs.zName = "halcyon";
    vfs.xOpen = open_file;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : NULL;
}

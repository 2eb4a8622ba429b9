#include "halcyon_system.h"

#include <sqlite3.h>
#include <stddef.h>

static sqlite3_vfs *base;

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
    (void)vfs;
    if (!(flags & SQLITE_OPEN_SUPER_JOURNAL)) return base->xOpen(base, path, file, flags, opened);
    file->pMethods = NULL;
    return SQLITE_IOERR;
}

/* The others go on, with the VFS that they belong to. */

static int delete_file(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    return base->xDelete(base, path, sync);
}

static int look(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    return base->xAccess(base, path, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    (void)vfs;
    return base->xFullPathname(base, path, count, result);
}

static int random_bytes(sqlite3_vfs *vfs, int count, char *result) {
    (void)vfs;
    return base->xRandomness(base, count, result);
}

static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return base->xSleep(base, microseconds);
}

static int day(sqlite3_vfs *vfs, double *result) {
    (void)vfs;
    return base->xCurrentTime(base, result);
}

static int last_error(sqlite3_vfs *vfs, int count, char *result) {
    (void)vfs;
    return base->xGetLastError(base, count, result);
}

const char *halcyon_vfs(void) {
    static sqlite3_vfs vfs = {
        .iVersion = 1, .zName = "halcyon", .xOpen = open_file, .xDelete = delete_file, .xAccess = look,
        .xFullPathname = full_path, .xRandomness = random_bytes, .xSleep = sleep_for, .xCurrentTime = day,
        .xGetLastError = last_error};
    base = sqlite3_vfs_find(NULL);
    if (!base) return NULL;
    vfs.szOsFile = base->szOsFile;
    vfs.mxPathname = base->mxPathname;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : NULL;
}

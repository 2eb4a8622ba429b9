#include "halcyon_fault_vfs.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct halcyon_fault_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    char *name;
    pthread_mutex_t mutex;
    int codes[halcyon_vfs_call_count];
    int error;
    long after, times, failures;
    int tears_writes, keeps_logs;
    long calls[halcyon_vfs_call_count];
    halcyon_vfs_observer *observer;
    void *observer_context;
    halcyon_vfs_judge *judge;
    void *judge_context;
};

typedef struct fault_file {
    sqlite3_file file;
    halcyon_fault_vfs *owner;
    /* SQLite keeps it as long as the file is open. */
    const char *path;
    /* What SQLITE_FCNTL_LAST_ERRNO answers once a read or a write was refused, as SQLite's own VFS does. */
    int refusal;
    /* Of a database file. */
    sqlite3 *connection;
    /* The file of the VFS below follows. */
} fault_file;

static halcyon_fault_vfs *owner_of(sqlite3_vfs *vfs) { return (halcyon_fault_vfs *)vfs; }
static halcyon_fault_vfs *owner(sqlite3_file *file) { return ((fault_file *)file)->owner; }
static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((fault_file *)file + 1); }
static const char *path_of(sqlite3_file *file) { return ((fault_file *)file)->path; }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return below(file)->pMethods; }

/* The result code to fail with; SQLITE_OK to go on. */
static int verdict(halcyon_fault_vfs *self, int call) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&self->mutex);
    self->calls[call]++;
    if (self->codes[call] != SQLITE_OK) {
        if (self->after > 0) {
            self->after--;
        } else if (self->times != 0) {
            if (self->times > 0) self->times--;
            self->failures++;
            code = self->codes[call];
        }
    }
    pthread_mutex_unlock(&self->mutex);
    return code;
}

static int tell(halcyon_fault_vfs *self, halcyon_vfs_event event) {
    return self->observer == NULL ? SQLITE_OK : self->observer(self->observer_context, &event);
}

static int tell_after(halcyon_fault_vfs *self, int code, halcyon_vfs_event event) {
    event.is_after = 1;
    if (code == SQLITE_OK) tell(self, event);
    return code;
}

/* Asks the plan and the observer, makes the call, and tells the observer of it. */
#define CALL(self, expression, ...) \
    do { \
        halcyon_vfs_event event = {__VA_ARGS__}; \
        int refused = verdict(self, event.call); \
        if (refused == SQLITE_OK) refused = tell(self, event); \
        return refused != SQLITE_OK ? refused : tell_after(self, (expression), event); \
    } while (0)

/* Files */

static int file_close(sqlite3_file *file) {
    return methods(file)->xClose(below(file));
}

static int read_part(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    CALL(
        owner(file), methods(file)->xRead(below(file), buffer, count, offset), .call = halcyon_vfs_read,
        .path = path_of(file), .bytes = buffer, .count = count, .offset = offset);
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    int code = read_part(file, buffer, count, offset);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) ((fault_file *)file)->refusal = EIO;
    return code;
}

/* SQLite's own VFS forgets the errno of a full disk. */
static int refused_write(sqlite3_file *file, int code) {
    if (code == SQLITE_IOERR_WRITE) ((fault_file *)file)->refusal = owner(file)->error;
    return code;
}

static int write_part(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    CALL(
        owner(file), methods(file)->xWrite(below(file), buffer, count, offset), .call = halcyon_vfs_write,
        .path = path_of(file), .bytes = buffer, .count = count, .offset = offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    int half = owner(file)->tears_writes ? count / 2 : 0;
    if (half > 0) {
        int code = write_part(file, buffer, half, offset);
        if (code != SQLITE_OK) return refused_write(file, code);
    }
    return refused_write(file, write_part(file, (const char *)buffer + half, count - half, offset + half));
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    CALL(
        owner(file), methods(file)->xTruncate(below(file), size), .call = halcyon_vfs_truncate,
        .path = path_of(file), .offset = size);
}

static int file_sync(sqlite3_file *file, int flags) {
    CALL(
        owner(file), methods(file)->xSync(below(file), flags), .call = halcyon_vfs_sync, .path = path_of(file));
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    CALL(
        owner(file), methods(file)->xFileSize(below(file), size), .call = halcyon_vfs_size, .path = path_of(file));
}

static int file_lock(sqlite3_file *file, int level) {
    CALL(owner(file), methods(file)->xLock(below(file), level), .call = halcyon_vfs_lock, .path = path_of(file));
}

static int file_unlock(sqlite3_file *file, int level) { return methods(file)->xUnlock(below(file), level); }

static int file_check_reserved(sqlite3_file *file, int *result) {
    return methods(file)->xCheckReservedLock(below(file), result);
}

static int judge_commit(void *self) {
    return ((halcyon_fault_vfs *)self)->judge(((halcyon_fault_vfs *)self)->judge_context) ? 0 : 1;
}

/* EntryIndex.open executes this pragma on the connection that writes, after the opening's own commits. */
static int ends_opening(char **pragma) {
    return sqlite3_stricmp(pragma[1], "synchronous") == 0 && pragma[2] != NULL && sqlite3_stricmp(pragma[2], "NORMAL") == 0;
}

static int file_control(sqlite3_file *file, int op, void *argument) {
    /* SQLite names the connection when it opens the file. */
    if (op == SQLITE_FCNTL_PDB) ((fault_file *)file)->connection = *(sqlite3 **)argument;
    if (op == SQLITE_FCNTL_PRAGMA && owner(file)->judge != NULL && ends_opening(argument))
        sqlite3_commit_hook(((fault_file *)file)->connection, judge_commit, owner(file));
    if (op == SQLITE_FCNTL_LAST_ERRNO && ((fault_file *)file)->refusal != 0) {
        *(int *)argument = ((fault_file *)file)->refusal;
        return SQLITE_OK;
    }
    return methods(file)->xFileControl(below(file), op, argument);
}

static int file_sector_size(sqlite3_file *file) { return methods(file)->xSectorSize(below(file)); }

static int file_characteristics(sqlite3_file *file) { return methods(file)->xDeviceCharacteristics(below(file)); }

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    CALL(
        owner(file), methods(file)->xShmMap(below(file), page, size, extend, memory), .call = halcyon_vfs_shm_map,
        .path = path_of(file));
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    /* What is held can always be given back. */
    if (!(flags & SQLITE_SHM_LOCK)) return methods(file)->xShmLock(below(file), offset, count, flags);
    CALL(
        owner(file), methods(file)->xShmLock(below(file), offset, count, flags), .call = halcyon_vfs_shm_lock,
        .path = path_of(file));
}

static void file_shm_barrier(sqlite3_file *file) { methods(file)->xShmBarrier(below(file)); }

static int file_shm_unmap(sqlite3_file *file, int delete_it) {
    return methods(file)->xShmUnmap(below(file), delete_it);
}

/* Version 2: without memory mapping, so that every access comes by here. */
static const sqlite3_io_methods fault_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* The file system */

static int open_below(halcyon_fault_vfs *self, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    int code = self->base->xOpen(self->base, path, below(file), flags, out_flags);
    /* SQLite closes whatever has methods, also after a failure. */
    if (below(file)->pMethods != NULL) file->pMethods = &fault_methods;
    if (code == SQLITE_OK && self->keeps_logs)
        methods(file)->xFileControl(below(file), SQLITE_FCNTL_PERSIST_WAL, &(int){1});
    return code;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    halcyon_fault_vfs *self = owner_of(vfs);
    file->pMethods = NULL;
    ((fault_file *)file)->owner = self;
    ((fault_file *)file)->path = path;
    ((fault_file *)file)->refusal = 0;
    ((fault_file *)file)->connection = NULL;
    CALL(self, open_below(self, path, file, flags, out_flags), .call = halcyon_vfs_open, .path = path);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    CALL(
        owner_of(vfs), owner_of(vfs)->base->xDelete(owner_of(vfs)->base, path, sync), .call = halcyon_vfs_delete,
        .path = path, .count = sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    CALL(
        owner_of(vfs), owner_of(vfs)->base->xAccess(owner_of(vfs)->base, path, flags, result),
        .call = halcyon_vfs_access, .path = path);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    return owner_of(vfs)->base->xFullPathname(owner_of(vfs)->base, path, count, result);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *result) {
    return owner_of(vfs)->base->xRandomness(owner_of(vfs)->base, count, result);
}

static int refuses_locks(halcyon_fault_vfs *self) {
    pthread_mutex_lock(&self->mutex);
    int refuses = self->times != 0
        && (self->codes[halcyon_vfs_lock] != SQLITE_OK || self->codes[halcyon_vfs_shm_lock] != SQLITE_OK);
    pthread_mutex_unlock(&self->mutex);
    return refuses;
}

/* Ten seconds pass before SQLite gives up a lock in the shared memory that is always refused: not here. One that somebody else
   has is waited for: without a pause, SQLite's hundred attempts are over before the other one has run. */
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    if (refuses_locks(owner_of(vfs))) return microseconds;
    return owner_of(vfs)->base->xSleep(owner_of(vfs)->base, microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *result) {
    return owner_of(vfs)->base->xCurrentTime(owner_of(vfs)->base, result);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *result) {
    return owner_of(vfs)->base->xGetLastError(owner_of(vfs)->base, count, result);
}

static int vfs_current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    return owner_of(vfs)->base->xCurrentTimeInt64(owner_of(vfs)->base, result);
}

halcyon_fault_vfs *halcyon_fault_vfs_create(const char *name, const char *base_name) {
    sqlite3_vfs *base = sqlite3_vfs_find(base_name);
    halcyon_fault_vfs *self = calloc(1, sizeof *self);
    char *copy = strdup(name);
    if (base == NULL || self == NULL || copy == NULL) {
        free(self);
        free(copy);
        return NULL;
    }
    self->base = base;
    self->name = copy;
    pthread_mutex_init(&self->mutex, NULL);
    self->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(fault_file) + base->szOsFile,
        .mxPathname = base->mxPathname,
        .zName = copy,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_current_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_current_time_64,
    };
    sqlite3_vfs_register(&self->vfs, 0);
    return self;
}

void halcyon_fault_vfs_observe(halcyon_fault_vfs *self, halcyon_vfs_observer *observer, void *context) {
    self->observer = observer;
    self->observer_context = context;
}

void halcyon_fault_vfs_judge_commits(halcyon_fault_vfs *self, halcyon_vfs_judge *judge, void *context) {
    self->judge = judge;
    self->judge_context = context;
}

void halcyon_fault_vfs_fail(halcyon_fault_vfs *self, const int *codes, int error, long after, long times) {
    pthread_mutex_lock(&self->mutex);
    memcpy(self->codes, codes, sizeof self->codes);
    self->error = error;
    self->after = after;
    self->times = times;
    self->failures = 0;
    pthread_mutex_unlock(&self->mutex);
}

void halcyon_fault_vfs_heal(halcyon_fault_vfs *self) {
    pthread_mutex_lock(&self->mutex);
    memset(self->codes, 0, sizeof self->codes);
    pthread_mutex_unlock(&self->mutex);
}

void halcyon_fault_vfs_tear_writes(halcyon_fault_vfs *self, int tears) { self->tears_writes = tears; }

void halcyon_fault_vfs_keep_logs(halcyon_fault_vfs *self) { self->keeps_logs = 1; }

long halcyon_fault_vfs_failures(halcyon_fault_vfs *self) {
    pthread_mutex_lock(&self->mutex);
    long failures = self->failures;
    pthread_mutex_unlock(&self->mutex);
    return failures;
}

long halcyon_fault_vfs_calls(halcyon_fault_vfs *self, int call) {
    pthread_mutex_lock(&self->mutex);
    long calls = self->calls[call];
    pthread_mutex_unlock(&self->mutex);
    return calls;
}

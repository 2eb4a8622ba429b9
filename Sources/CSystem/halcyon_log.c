#include "halcyon_system.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A frame is a header and a page (https://www.sqlite.org/walformat.html). */
enum { header_size = 24, capacity = 16 * (header_size + 4096) };

/* The methods of one log's file, in the place of the system's, and the bytes that they hold.

   Bytes are held within one transaction only, which has the write lock. SQLite ends each one that has written with a commit
   frame, even if its statements were undone. This frame and all other calls on the file write the bytes first. They are
   dropped if the transaction is rolled back, if the file is closed, or if a write fails, which rolls back. So no byte is held
   that another process believes written. */
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *system;
    sqlite3_int64 start;
    int count;
    int isCommit; /* whether the last frame ends the transaction */
    unsigned char bytes[capacity];
} halcyon_log;

static halcyon_log *log_of(sqlite3_file *file) { return (halcyon_log *)file->pMethods; }

static int write_held(sqlite3_file *file) {
    halcyon_log *log = log_of(file);
    int count = log->count;
    log->count = 0;
    return count == 0 ? SQLITE_OK : log->system->xWrite(file, log->bytes, count, log->start);
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    halcyon_log *log = log_of(file);
    int isHeader = count == header_size, code = SQLITE_OK;
    if (isHeader) log->isCommit = memcmp((const char *)bytes + 4, "\0\0\0\0", 4) != 0;
    if (offset != log->start + log->count || log->count + count > capacity) code = write_held(file);
    if (code != SQLITE_OK) return code;
    /* Only a header announces more bytes. One that ends a transaction may be a corrected one, which no page follows. */
    if (log->count == 0 && (!isHeader || log->isCommit)) return log->system->xWrite(file, bytes, count, offset);
    if (log->count == 0) log->start = offset;
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    return !isHeader && log->isCommit ? write_held(file) : SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    halcyon_log *log = log_of(file);
    int held = log->count, code = write_held(file);
    if (code == SQLITE_OK) return log->system->xRead(file, bytes, count, offset);
    /* A failed read may undo only its statement, and SQLite counts the bytes of earlier ones as written. */
    log->count = held;
    return code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = write_held(file);
    return code != SQLITE_OK ? code : log_of(file)->system->xTruncate(file, size);
}

static int log_sync(sqlite3_file *file, int flags) {
    int code = write_held(file);
    return code != SQLITE_OK ? code : log_of(file)->system->xSync(file, flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = write_held(file);
    return code != SQLITE_OK ? code : log_of(file)->system->xFileSize(file, size);
}

static int log_close(sqlite3_file *file) {
    halcyon_log *log = log_of(file);
    file->pMethods = log->system;
    free(log);
    return file->pMethods->xClose(file);
}

static sqlite3_file *log_file(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

static void did_roll_back(void *database) {
    sqlite3_file *file = log_file(database);
    if (file && file->pMethods->xWrite == log_write) log_of(file)->count = 0;
}

void halcyon_join_log_writes(sqlite3 *database) {
    sqlite3_file *file = log_file(database);
    if (!file || file->pMethods->xWrite == log_write) return;
    halcyon_log *log = calloc(1, sizeof *log);
    if (!log) return;
    log->system = file->pMethods;
    /* The methods of version 1. The later ones are for the database. */
    memcpy(&log->methods, log->system, offsetof(sqlite3_io_methods, xShmMap));
    log->methods.iVersion = 1;
    log->methods.xClose = log_close;
    log->methods.xRead = log_read;
    log->methods.xWrite = log_write;
    log->methods.xTruncate = log_truncate;
    log->methods.xSync = log_sync;
    log->methods.xFileSize = log_size;
    file->pMethods = &log->methods;
    sqlite3_rollback_hook(database, did_roll_back, database);
}

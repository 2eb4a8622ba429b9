#ifndef CHALCYON_SQLITE_H
#define CHALCYON_SQLITE_H

#if !__has_include(<sqlite3.h>)
#error "SQLite is missing: apt-get install libsqlite3-dev."
#endif

#include <sqlite3.h>
#include <string.h>

/* Only the parts that Swift cannot call or see: variadic functions and cast macros. */

/* Tells SQLite to copy the bytes before returning (a function pointer made from -1). */
static inline sqlite3_destructor_type halcyon_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

/* Sets a boolean option of sqlite3_db_config. Returns SQLite's result code. */
static inline int halcyon_sqlite_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

/* The errno of the last call on a connection's database or log that failed; 0 for none. A short read resets it to 0. */
static inline int halcyon_sqlite_errno(sqlite3 *database) {
    int code = 0;
    sqlite3_file *log = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &code);
    if (code != 0) return code;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code);
    return code;
}

/* Takes the lock of a writer on the database's file, which needs no readable page, until the connection closes. Begin no transaction
   afterwards. Does not wait; can be repeated. Returns SQLite's result code. */
static inline int halcyon_sqlite_lock_file(sqlite3 *database) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK && !(file && file->pMethods)) code = SQLITE_CANTOPEN;
    if (code == SQLITE_OK) code = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    return code == SQLITE_OK ? file->pMethods->xLock(file, SQLITE_LOCK_RESERVED) : code;
}

/* Repairs the header fields that are the same in every index, in a file whose header says it is one ("HALC") and that nothing has
   read yet (https://www.sqlite.org/fileformat.html, section 1.3): a page size of 4096, a write-ahead log, UTF-8. Clears the
   number of pages, so that the file's length counts. Apple's SQLite reserves 12 bytes of each page, others none: if neither is there,
   what the system's library does counts. Returns SQLite's result code. */
static inline int halcyon_sqlite_mend_header(sqlite3 *database) {
#if defined(__APPLE__)
    const unsigned char usual = 12;
#else
    const unsigned char usual = 0;
#endif
    unsigned char header[100], reserved;
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK && !(file && file->pMethods)) code = SQLITE_CANTOPEN;
    if (code == SQLITE_OK) code = file->pMethods->xRead(file, header, sizeof header, 0);
    if (code != SQLITE_OK) return code;
    if (memcmp(header + 68, "HALC", 4) != 0) return SQLITE_NOTADB;
    reserved = header[20] == 0 || header[20] == 12 ? header[20] : usual;
    memcpy(header, "SQLite format 3\0" "\x10\x00" "\x02\x02" "\x00" "\x40\x20\x20", 24);
    header[20] = reserved;
    memcpy(header + 28, "\0\0\0\0", 4);
    memcpy(header + 44, "\0\0\0\4", 4);
    memcpy(header + 56, "\0\0\0\1", 4);
    return file->pMethods->xWrite(file, header, sizeof header, 0);
}

#endif

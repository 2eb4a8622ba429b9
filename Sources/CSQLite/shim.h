#ifndef CHALCYON_SQLITE_H
#define CHALCYON_SQLITE_H

#include <sqlite3.h>

/* Only what Swift cannot call or see: variadic functions and cast macros. */

/* "Copy these bytes before returning" (a function pointer made of -1). */
static inline sqlite3_destructor_type halcyon_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

/* A switch of sqlite3_db_config; returns SQLite's result code. */
static inline int halcyon_sqlite_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

#endif

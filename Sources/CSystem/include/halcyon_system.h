#ifndef CHALCYON_SYSTEM_H
#define CHALCYON_SYSTEM_H

#include <stdint.h>

#if !__has_include(<sqlite3.h>)
#error "SQLite is missing: apt-get install libsqlite3-dev."
#endif

struct sqlite3;

/* Exchanges two files atomically. Returns 0, or -1 with errno set.
   Linux: renameat2(RENAME_EXCHANGE), which older C libraries and Swift's module of the C library lack;
   Apple platforms: renamex_np(RENAME_SWAP). */
int halcyon_exchange(const char *first, const char *second);

/* The magic number of the file system that holds `path` (see statfs and <linux/magic.h>). Returns 0 on systems without such
   numbers, or -1 with errno set. */
int64_t halcyon_file_system_type(const char *path);

/* On Btrfs, makes files that are created later in a folder keep their blocks when they are overwritten. Otherwise a full volume has
   no block for a change to the index, and a change to its shared memory ends the process with SIGBUS. Ignores errors. */
void halcyon_write_in_place(const char *folder);

/* From now on, a connection writes up to 16 pages of a transaction to its write-ahead log with one call, instead of two for
   each page. Call it while the connection has the log open: for another journal, it would be wrong. Without memory, it does
   nothing. */
void halcyon_join_log_writes(struct sqlite3 *database);

/* The name of the system's VFS without super-journals: a rollback journal can name one anywhere, and SQLite, which takes it for the
   leftover of a transaction on several databases, deletes that file. Opening one fails with SQLITE_IOERR. By then, SQLite has rolled
   back and deleted the journal, so a fresh connection works. Registers the VFS, so call it once. Returns NULL if that fails. */
const char *halcyon_vfs(void);

#endif

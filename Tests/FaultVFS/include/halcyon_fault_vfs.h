#ifndef HALCYON_FAULT_VFS_H
#define HALCYON_FAULT_VFS_H

/* A layer above SQLite's own file system (https://www.sqlite.org/vfs.html) in which calls can be made to fail. For tests:
   whatever SQLite asks of the disk, the shared memory or the locks can be refused, once or from then on. */

typedef struct halcyon_fault_vfs halcyon_fault_vfs;

enum halcyon_vfs_call {
    halcyon_vfs_open, halcyon_vfs_delete, halcyon_vfs_access, halcyon_vfs_read, halcyon_vfs_write,
    halcyon_vfs_truncate, halcyon_vfs_sync, halcyon_vfs_size, halcyon_vfs_lock, halcyon_vfs_shm_map,
    halcyon_vfs_shm_lock, halcyon_vfs_call_count
};

/* Registers it under a name, which has to be unique in the process. Calls go on to the VFS `base_name`; NULL for the system's.
   Returns NULL without memory. It stays registered: between SQLite's lookup of the name and its first call, a thread may already be
   opening a connection. */
halcyon_fault_vfs *halcyon_fault_vfs_create(const char *name, const char *base_name);

/* One call as an observer sees it. */
typedef struct halcyon_vfs_event {
    int call;
    /* 0 before the call, where the observer may refuse it; 1 after one that has succeeded, where its answer is ignored. */
    int is_after;
    /* The file's path; NULL for a file that SQLite made for itself. */
    const char *path;
    /* Of a read or a write; a truncation has the new length as its offset. */
    const void *bytes;
    long count;
    long long offset;
} halcyon_vfs_event;

/* A result code of SQLite's to refuse the call with, or SQLITE_OK. Called on the thread that makes the call. */
typedef int halcyon_vfs_observer(void *context, const halcyon_vfs_event *);

/* Call it before any file is open. `context` has to live as long as the process. */
void halcyon_fault_vfs_observe(halcyon_fault_vfs *, halcyon_vfs_observer *, void *context);

/* Returns 0 to turn a commit into a rollback, as a failing disk does. Called on the committing thread. */
typedef int halcyon_vfs_judge(void *context);

/* Calls the judge before each commit of an index's writing connection, from the end of its opening: not before migrations. Call
   this before any file is open. `context` has to live as long as the process. */
void halcyon_fault_vfs_judge_commits(halcyon_fault_vfs *, halcyon_vfs_judge *, void *context);

/* After so many calls of the kinds that have a result code of SQLite's in `codes` (one for each kind, 0 for none), so many
   fail with it; times < 0, all from then on. One plan at a time. */
void halcyon_fault_vfs_fail(halcyon_fault_vfs *, const int *codes, int error, long after, long times);

/* Each write is done in two halves, each a call of its own. Before any file is open. */
void halcyon_fault_vfs_tear_writes(halcyon_fault_vfs *, int tears);

/* Logs stay when the last connection closes, as with SQLITE_ENABLE_PERSIST_WAL. Before any file is open. */
void halcyon_fault_vfs_keep_logs(halcyon_fault_vfs *);

void halcyon_fault_vfs_heal(halcyon_fault_vfs *);

/* How many calls have failed since the plan was made. */
long halcyon_fault_vfs_failures(halcyon_fault_vfs *);

/* How many calls of a kind there have been, failed or not. */
long halcyon_fault_vfs_calls(halcyon_fault_vfs *, int call);

#endif

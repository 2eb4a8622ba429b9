#ifndef HALCYON_FORK_H
#define HALCYON_FORK_H

/* `fork`, which Swift may not call: only a process with a single thread may, one that has not used Dispatch yet. */
int halcyon_fork(void);

#endif

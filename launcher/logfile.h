// SPDX-License-Identifier: Apache-2.0
// DIR/stack.log, where all programs of a stack log: bounded, with one older part beside it.

#ifndef PROOFARC_LOGFILE_H
#define PROOFARC_LOGFILE_H

// Makes it stdout and stderr of this process and of its children. A directory that takes no file
// leaves them as they are.
void logfile_open(const char *dir);

// Over STACK_LOG_MAX: moves what there is to DIR/stack.log.1 and starts anew. Does nothing where
// stderr is no such file.
void logfile_trim(void);

#endif

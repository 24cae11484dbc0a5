/*
 * Makes each fsync take SLOW_FSYNC_US microseconds longer, as on a disk that flushes slowly.
 * cc -shared -fPIC -o slow-fsync.so slow-fsync.c -ldl; LD_PRELOAD=slow-fsync.so SLOW_FSYNC_US=1000 node …
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int fsync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = real(file);
  const char *us = getenv("SLOW_FSYNC_US");
  if (us != NULL) usleep((useconds_t)atoi(us));
  return result;
}

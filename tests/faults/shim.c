/* Lets one system call of a program fail. Loaded by LD_PRELOAD; built and described by inject.py.
 *
 * Calls that touch files below FAULT_FOLDER are counted. Call number FAULT_AT fails with the error FAULT_ERRNO, and with
 * FAULT_STAYS=1 so do all later ones that write, as on a full disk. FAULT_KILL=before or =after kills the process at that
 * call instead. FAULT_STREAM=1 or 2 lets all writes to stdout or stderr fail. FAULT_THREADS=N lets pthread_create fail
 * after N threads. The kinds of the calls are written to the file FAULT_LOG, one letter each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 4096

static const char *folder;
static size_t folder_length;
static long at, stream, most_threads = -1;
static int error_number, stays, log_file = -1;
static enum { FAIL, KILL_BEFORE, KILL_AFTER } how;
static atomic_long calls, threads;
static atomic_uchar is_ours[FILES];

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv("FAULT_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
    at = number("FAULT_AT", 0);
    error_number = (int)number("FAULT_ERRNO", EIO);
    stays = (int)number("FAULT_STAYS", 0);
    stream = number("FAULT_STREAM", -1);
    most_threads = number("FAULT_THREADS", -1);
    const char *kill_when = getenv("FAULT_KILL");
    how = !kill_when ? FAIL : strcmp(kill_when, "after") == 0 ? KILL_AFTER : KILL_BEFORE;
    const char *log = getenv("FAULT_LOG");
    if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static void die(void) {
    syscall(SYS_kill, (long)getpid(), (long)SIGKILL);
}

/* Whether a path lies below the folder. Relative ones do, because programs are started in it. */
static int below(const char *path) {
    if (!folder || !path) return 0;
    return path[0] != '/' || strncmp(path, folder, folder_length) == 0;
}

static int ours(int file) {
    return file >= 0 && file < FILES && atomic_load(&is_ours[file]);
}

/* Counts a call. Whether it shall fail; `dies` is set if the process shall die after it. */
static int fails(char kind, int writes, int *dies) {
    long now = atomic_fetch_add(&calls, 1) + 1;
    *dies = 0;
    if (log_file >= 0) syscall(SYS_write, log_file, &kind, 1);
    if (at == 0 || now < at || (now > at && !(stays && writes))) return 0;
    if (how == KILL_BEFORE) die();
    if (how == KILL_AFTER) { *dies = now == at; return 0; }
    errno = error_number;
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define GUARD(kind, writes) int dies; if (fails(kind, writes, &dies)) return -1
#define RETURN(call) do { __auto_type result = call; if (dies) die(); return result; } while (0)

static int opened(int file, int counted, int dies) {
    if (file >= 0 && file < FILES) atomic_store(&is_ours[file], (unsigned char)counted);
    if (dies) die();
    return file;
}

#define OPEN(name)                                                                                \
    int name(const char *path, int flags, ...) {                                                  \
        REAL(name);                                                                               \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
        va_end(rest);                                                                             \
        int counted = below(path), dies = 0;                                                      \
        if (counted && fails('o', (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0, &dies)) return -1; \
        return opened(real(path, flags, mode), counted, dies);                                    \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                              \
    int name(int where, const char *path, int flags, ...) {                                       \
        REAL(name);                                                                               \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
        va_end(rest);                                                                             \
        int counted = below(path), dies = 0;                                                      \
        if (counted && fails('o', (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0, &dies)) return -1; \
        return opened(real(where, path, flags, mode), counted, dies);                             \
    }
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
    REAL(close);
    if (file >= 0 && file < FILES) atomic_store(&is_ours[file], 0);
    return real(file);
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    if (file == stream) { errno = EIO; return -1; }
    if (!ours(file)) return real(file, bytes, count);
    int dies;
    if (fails('w', 1, &dies)) {
        /* A disk fills in the middle of a write. */
        int wrong = errno;
        if (wrong == ENOSPC && count > 1) real(file, bytes, count / 2);
        errno = wrong;
        return -1;
    }
    RETURN(real(file, bytes, dies && count > 1 ? count / 2 : count));
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    if (file == stream) { errno = EIO; return -1; }
    if (!ours(file)) return real(file, parts, count);
    GUARD('w', 1);
    RETURN(real(file, parts, count));
}

ssize_t read(int file, void *bytes, size_t count) {
    REAL(read);
    if (!ours(file)) return real(file, bytes, count);
    GUARD('r', 0);
    RETURN(real(file, bytes, count));
}

int fsync(int file) {
    REAL(fsync);
    if (!ours(file)) return real(file);
    GUARD('s', 1);
    RETURN(real(file));
}

int fdatasync(int file) {
    REAL(fdatasync);
    if (!ours(file)) return real(file);
    GUARD('s', 1);
    RETURN(real(file));
}

int fchmod(int file, mode_t mode) {
    REAL(fchmod);
    if (!ours(file)) return real(file, mode);
    GUARD('p', 1);
    RETURN(real(file, mode));
}

int flock(int file, int operation) {
    extern int flock(int, int);
    REAL(flock);
    if (!ours(file)) return real(file, operation);
    GUARD('l', 0);
    RETURN(real(file, operation));
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (!below(from) && !below(to)) return real(from, to);
    GUARD('m', 1);
    RETURN(real(from, to));
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (!below(path)) return real(path, mode);
    GUARD('d', 1);
    RETURN(real(path, mode));
}

int unlink(const char *path) {
    REAL(unlink);
    if (!below(path)) return real(path);
    GUARD('u', 1);
    RETURN(real(path));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how_made, void *(*run)(void *), void *given) {
    REAL(pthread_create);
    if (most_threads >= 0 && atomic_fetch_add(&threads, 1) >= most_threads) return EAGAIN;
    return real(thread, how_made, run, given);
}

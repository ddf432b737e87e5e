#define _GNU_SOURCE

#include "python_peer.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LONGEST_REPLY_S = 300 };

/*
 * One request a line: "import MODULE" is answered by its version, "lines ROWS DIM" by the seconds that
 * those lines took, "rows N" by the bytes of its first N rows. The lines are those of the usual
 * PositionalEncoding class; in_place gives them a table whose pages have been touched before; torch_distances are the
 * broadcast differences, and their norms, by which all distances between rows are usually shown; torch_rotate is the
 * usual apply_rotary_pos_emb() over DIM columns of 32 heads, ROWS heads in all, with its tables of cosines and sines made.
 */
static char script[] =
    "import os, sys, math, time, importlib\n"
    "for name in ('OMP', 'MKL', 'OPENBLAS'):\n"
    "    os.environ[name + '_NUM_THREADS'] = '1'\n"
    "kept = table = None\n"
    "\n"
    "def torch(n, d, pe=None):\n"
    "    if pe is None: pe = th.zeros(n, d)\n"
    "    position = th.arange(0, n, dtype=th.float).unsqueeze(1)\n"
    "    div_term = th.exp(th.arange(0, d, 2).float() * (-math.log(10000.0) / d))\n"
    "    pe[:, 0::2] = th.sin(position * div_term)\n"
    "    pe[:, 1::2] = th.cos(position * div_term)\n"
    "    return pe\n"
    "\n"
    "def numpy32(n, d, pe=None):\n"
    "    if pe is None: pe = np.zeros((n, d), np.float32)\n"
    "    position = np.arange(n, dtype=np.float32)[:, None]\n"
    "    div_term = np.exp(np.arange(0, d, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / d))\n"
    "    pe[:, 0::2] = np.sin(position * div_term)\n"
    "    pe[:, 1::2] = np.cos(position * div_term)\n"
    "    return pe\n"
    "\n"
    "def listing_4(rows):\n"
    "    differences = rows[:, None, :] - rows[None, :, :]\n"
    "    return th.norm(differences, p=2, dim=-1)\n"
    "\n"
    "def rotate_half(x):\n"
    "    x1 = x[..., : x.shape[-1] // 2]\n"
    "    x2 = x[..., x.shape[-1] // 2 :]\n"
    "    return th.cat((-x2, x1), dim=-1)\n"
    "\n"
    "def rotary(n, d):\n"
    "    inv_freq = 1.0 / (10000.0 ** (th.arange(0, d, 2, dtype=th.float) / d))\n"
    "    freqs = th.outer(th.arange(n // 32, dtype=th.float), inv_freq)\n"
    "    emb = th.cat((freqs, freqs), dim=-1)\n"
    "    x = ((2 * (th.arange(n * d) * 37 % 101) - 101).float() / 128).view(n // 32, 32, d)\n"
    "    return x, emb.cos()[:, None, :], emb.sin()[:, None, :]\n"
    "\n"
    "def load(module):\n"
    "    global np, th\n"
    "    try:\n"
    "        found = importlib.import_module(module)\n"
    "    except Exception:\n"
    "        return 'missing'\n"
    "    if module == 'torch':\n"
    "        th = found\n"
    "        th.set_num_threads(1)\n"
    "    else:\n"
    "        np = found\n"
    "    return found.__version__\n"
    "\n"
    "def seconds(lines, n, d):\n"
    "    global kept, table, rotary_kept\n"
    "    if lines == 'torch_rotate':\n"
    "        if kept != (lines, n, d): rotary_kept = rotary(n, d)\n"
    "        kept = (lines, n, d)\n"
    "        x, cos, sin = rotary_kept\n"
    "        start = time.perf_counter()\n"
    "        table = (x * cos) + (rotate_half(x) * sin)\n"
    "        took = time.perf_counter() - start\n"
    "        table = table.view(n, d)\n"
    "        return took\n"
    "    if lines == 'torch_distances':\n"
    "        table = kept = None\n"
    "        rows = torch(n, d)\n"
    "        start = time.perf_counter()\n"
    "        table = listing_4(rows)\n"
    "        return time.perf_counter() - start\n"
    "    if kept != (lines, n, d) or not lines.endswith('_in_place'): table = None\n"
    "    kept = (lines, n, d)\n"
    "    make = torch if lines.startswith('torch') else numpy32\n"
    "    start = time.perf_counter()\n"
    "    table = make(n, d, table)\n"
    "    return time.perf_counter() - start\n"
    "\n"
    "while True:\n"
    "    words = sys.stdin.readline().split()\n"
    "    if not words: break\n"
    "    if words[0] == 'rows':\n"
    "        rows = table[:int(words[1])]\n"
    "        reply = (rows if hasattr(rows, 'tobytes') else rows.numpy()).tobytes()\n"
    "    elif words[0] == 'import':\n"
    "        reply = (load(words[1]) + '\\n').encode()\n"
    "    else:\n"
    "        reply = (repr(seconds(words[0], int(words[1]), int(words[2]))) + '\\n').encode()\n"
    "    sys.stdout.buffer.write(reply)\n"
    "    sys.stdout.buffer.flush()\n";

static bool spawn(pid_t *pid, const char *interpreter, int socket)
{
    static char name[] = "python3", option[] = "-c";
    char *const arguments[] = {name, option, script, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    const bool spawned = !posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO) &&
                         !posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO) &&
                         !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) &&
                         !posix_spawnp(pid, interpreter, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return spawned;
}

bool python_start(struct python *python, const char *interpreter)
{
    const struct timeval patience = {.tv_sec = LONGEST_REPLY_S, .tv_usec = 0};
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        return false;
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    python->requests = sockets[0];
    python->replies = fdopen(sockets[0], "r");
    const bool spawned = python->replies && spawn(&python->pid, interpreter, sockets[1]);
    close(sockets[1]);
    if (!spawned) {
        if (python->replies)
            fclose(python->replies);
        else
            close(sockets[0]);
    }
    return spawned;
}

static bool request(struct python *python, const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return length > 0 && (size_t)length < sizeof line &&
           send(python->requests, line, (size_t)length, MSG_NOSIGNAL) == length;
}

bool python_import(struct python *python, const char *module, char *version, size_t version_size)
{
    if (!request(python, "import %s\n", module) || !fgets(version, (int)version_size, python->replies))
        return false;
    version[strcspn(version, "\n")] = '\0';
    return strcmp(version, "missing") != 0;
}

double python_seconds(void *job)
{
    const struct python_job *lines = job;
    char reply[64];
    if (!request(lines->python, "%s %zu %zu\n", lines->lines, lines->rows, lines->dim) ||
        !fgets(reply, sizeof reply, lines->python->replies))
        return -1.0;
    return strtod(reply, NULL);
}

bool python_rows(const struct python_job *job, size_t rows, float *out)
{
    return request(job->python, "rows %zu\n", rows) &&
           fread(out, job->dim * sizeof *out, rows, job->python->replies) == rows;
}

void python_stop(struct python *python)
{
    fclose(python->replies); /* the child reads the end of its input */
    kill(python->pid, SIGTERM);
    waitpid(python->pid, NULL, 0);
}

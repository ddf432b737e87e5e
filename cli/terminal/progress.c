#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error_line.h"

#define PATIENCE_S 0.5 /* work shorter than this shows no bar */
#define INTERVAL_S 0.1
#define LINES_S 10.0 /* between lines, where standard error is not a terminal */
/* From here on the remaining time can be estimated. */
#define TOLD_PART 0.05
#define TOLD_S 2.0
#define BAR_COLUMNS 24
#define PARTS 1000000

static struct {
    const char *what;
    uint64_t done, total;
    double began, shown_at;
    bool is_wanted, is_terminal, is_shown;
    bool is_part; /* of PARTS, not of bytes */
} progress;

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *amount_text(char text[AMOUNT_BYTES], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.95 && unit < 5) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, AMOUNT_BYTES, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

static bool is_silent;

void progress_silence(void)
{
    is_silent = true;
}

void progress_begin(const char *what, uint64_t total_bytes)
{
    memset(&progress, 0, sizeof progress);
    progress.what = strcmp(what, "-") == 0 ? "standard output" : what;
    progress.total = total_bytes;
    progress.began = seconds_now();
    progress.shown_at = progress.began;
    progress.is_wanted = total_bytes > 0 && !is_silent;
    progress.is_terminal = isatty(STDERR_FILENO);
}

/* ", 1:05 left"; nothing where that is not yet known. */
static const char *time_left(char text[40], double part, double elapsed)
{
    const double left = part > 0 ? elapsed * (1 - part) / part : 0;
    text[0] = '\0';
    if (part >= TOLD_PART && elapsed >= TOLD_S && left < 1e6)
        snprintf(text, 40, ", %d:%02d left", (int)(left / 60), (int)left % 60);
    return text;
}

static void show_line(double now)
{
    char left[40];
    const double part = (double)progress.done / (double)progress.total, elapsed = now - progress.began;
    fprintf(stderr, "%.80s: %.0f %% after %.0f s%s\n", SHOWN(progress.what), 100 * part, elapsed,
            time_left(left, part, elapsed));
    progress.shown_at = now;
}

static void show(double now)
{
    char bar[BAR_COLUMNS + 1];
    char rate[AMOUNT_BYTES], speed[AMOUNT_BYTES + 8] = "", left[40];
    const double part = (double)progress.done / (double)progress.total;
    const double elapsed = now - progress.began;
    const int filled = (int)(part * BAR_COLUMNS);
    memset(bar, '.', BAR_COLUMNS);
    memset(bar, '#', (size_t)filled);
    bar[BAR_COLUMNS] = '\0';
    if (!progress.is_part)
        snprintf(speed, sizeof speed, "  %s/s", amount_text(rate, (double)progress.done / elapsed));
    fprintf(stderr, "\r\033[K%.30s [%s] %3.0f %%%s%s", SHOWN(progress.what), bar, 100 * part, speed,
            time_left(left, part, elapsed));
    fflush(stderr);
    progress.is_shown = true;
    progress.shown_at = now;
}

void progress_advance(uint64_t bytes)
{
    progress.done += bytes;
    if (!progress.is_wanted)
        return;
    const double now = seconds_now();
    if (!progress.is_terminal) {
        if (now - progress.shown_at >= LINES_S)
            show_line(now);
        return;
    }
    if (now - progress.began > PATIENCE_S && now - progress.shown_at > INTERVAL_S)
        show(now);
}

void progress_clear(void)
{
    if (progress.is_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress.is_shown = false;
    }
    progress.is_wanted = false;
}

void progress_begin_part(const char *what)
{
    progress_begin(what, PARTS);
    progress.is_part = true;
}

void progress_reach(double done)
{
    const uint64_t reached = (uint64_t)(done * PARTS);
    progress_advance(reached > progress.done ? reached - progress.done : 0);
}

int progress_watch(void *context, double done)
{
    (void)context;
    progress_reach(done);
    return 0;
}

#define _GNU_SOURCE

#include "sleef_peer.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "measure.h"
#include "symbols.h"

/* Widest first. */
static const struct vector_loops *const all_loops[] = {
#if defined(__x86_64__)
    &loops_avx512,
    &loops_avx2,
#endif
    &loops_baseline,
};
enum { N_LOOPS = sizeof all_loops / sizeof *all_loops };

/* Where in all_loops those begin that this processor can run. */
static size_t first_usable(void)
{
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return !avx2 ? 2 : __builtin_cpu_supports("avx512f") ? 0 : 1;
#else
    return 0;
#endif
}

const struct vector_loops *widest_loops(void)
{
    return all_loops[first_usable()];
}

static void choose(struct sleef *sleef, struct sleef_job *trial)
{
    double best_f32 = INFINITY, best_f64 = INFINITY;
    for (size_t i = first_usable(); i < N_LOOPS; i++) {
        const struct vector_loops *loops = all_loops[i];
        const struct sleef one = {sleef->library, loops, loops, find_function(sleef->library, loops->sincosf_u35_name),
                                  find_function(sleef->library, loops->sincos_u10_name)};
        const struct side f32 = {sleef_f32_seconds, trial, .repeat = 20},
                          f64 = {sleef_f64_seconds, trial, .repeat = 20};
        if (!one.sincosf_u35 || !one.sincos_u10)
            continue;
        trial->sleef = &one;
        const double seconds_f32 = side_seconds(&f32), seconds_f64 = side_seconds(&f64);
        if (seconds_f32 < best_f32) {
            best_f32 = seconds_f32;
            sleef->f32 = loops;
            sleef->sincosf_u35 = one.sincosf_u35;
        }
        if (seconds_f64 < best_f64) {
            best_f64 = seconds_f64;
            sleef->f64 = loops;
            sleef->sincos_u10 = one.sincos_u10;
        }
    }
}

bool sleef_open(struct sleef *sleef)
{
    enum { ROWS = 4, TONES = 512 };
    alignas(64) static float theta_f32[TONES], out[ROWS * 2 * TONES];
    alignas(64) static double theta_f64[TONES];
    const float positions_f32[ROWS] = {1.0F, 2.0F, 3.0F, 4.0F};
    const double positions_f64[ROWS] = {1.0, 2.0, 3.0, 4.0};
    struct sleef_job trial = {NULL, positions_f32, theta_f32, positions_f64, theta_f64, ROWS, TONES, out};

    for (size_t k = 0; k < TONES; k++) {
        theta_f64[k] = (double)(k + 1) / TONES;
        theta_f32[k] = (float)theta_f64[k];
    }
    memset(sleef, 0, sizeof *sleef);
    sleef->library = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!sleef->library)
        return false;
    choose(sleef, &trial);
    if (!sleef->f32)
        sleef_close(sleef);
    return sleef->f32 != NULL;
}

void sleef_close(struct sleef *sleef)
{
    if (sleef->library)
        dlclose(sleef->library);
    sleef->library = NULL;
}

double sleef_f32_seconds(void *argument)
{
    const struct sleef_job *job = argument;
    const double start = bench_clock();
    job->sleef->f32->sleef_f32(job->sleef->sincosf_u35, job->positions_f32, job->n, job->theta_f32, job->n_theta,
                               job->out);
    __asm__ volatile("" : : "r"(job->out) : "memory");
    return bench_clock() - start;
}

double sleef_f64_seconds(void *argument)
{
    const struct sleef_job *job = argument;
    const double start = bench_clock();
    job->sleef->f64->sleef_f64(job->sleef->sincos_u10, job->positions_f64, job->n, job->theta_f64, job->n_theta,
                               job->out);
    __asm__ volatile("" : : "r"(job->out) : "memory");
    return bench_clock() - start;
}

double libm_f32_seconds(void *argument)
{
    const struct sleef_job *job = argument;
    float *out = job->out;
    const double start = bench_clock();
    for (size_t row = 0; row < job->n; row++) {
        for (size_t k = 0; k < job->n_theta; k++) {
            sincosf(job->positions_f32[row] * job->theta_f32[k], out, out + 1);
            out += 2;
        }
    }
    __asm__ volatile("" : : "r"(job->out) : "memory");
    return bench_clock() - start;
}

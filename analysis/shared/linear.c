#include "linear.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libraries_found.h"
#include "owned.h"
#include "threads.h"

/* Fortran's interface: column-major, every argument by reference, lengths of character arguments at the end. */
typedef void gemm_function(const char *, const char *, const int *, const int *, const int *, const double *,
                           const double *, const int *, const double *, const int *, const double *, double *,
                           const int *, size_t, size_t);
typedef void syrk_function(const char *, const char *, const int *, const int *, const double *, const double *,
                           const int *, const double *, double *, const int *, size_t, size_t);
typedef void syevd_function(const char *, const char *, const int *, double *, const int *, double *, double *,
                            const int *, int *, const int *, int *, size_t, size_t);
typedef void gesdd_function(const char *, const int *, const int *, double *, const int *, double *, double *,
                            const int *, double *, const int *, double *, const int *, int *, int *, size_t);
typedef int get_threads_function(void);
typedef void set_threads_function(int);

static struct {
    gemm_function *gemm;
    syrk_function *syrk;
    syevd_function *syevd;
    gesdd_function *gesdd;
    get_threads_function *get_threads; /* these two may be missing */
    set_threads_function *set_threads;
    bool found;
} blas;

static pthread_once_t blas_once = PTHREAD_ONCE_INIT;

static bool take(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

static void *wait_for(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Can n threads run beside this one? They are started at once, and ended. */
static bool has_threads(size_t n)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    OWNED pthread_t *threads = malloc((n > 0 ? n : 1) * sizeof *threads);
    size_t started = 0;
    pthread_mutex_lock(&lock);
    while (threads != NULL && started < n && pthread_create(&threads[started], NULL, wait_for, &lock) == 0)
        started++;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return threads != NULL && started == n;
}

/*
 * OpenBLAS waits for ever where it gets no memory for its buffers, 128 MiB for each thread, or where a thread does not
 * start; while it is loaded it raises SIGINT then. So both are asked for first, and given back. The memory is mapped,
 * because an allocator may write to what it hands out.
 */
static bool has_room(size_t n_threads)
{
    const size_t bytes = (n_threads + 1) * ((size_t)144 << 20);
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0 && has_threads(n_threads - 1);
}

/* The library is never closed: its threads live as long as the process. */
static void load(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so",
                                        "libopenblas.0.dylib", "libopenblas.dylib"};
    void *library = NULL;
    const bool is_room = SINPOS_HAVE_LAPACK && has_room(processors_allowed()); /* it looks at no control group */
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL && is_room; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    take(library, "openblas_get_num_threads", &blas.get_threads, sizeof blas.get_threads);
    take(library, "openblas_set_num_threads", &blas.set_threads, sizeof blas.set_threads);
    blas.found = take(library, "dgemm_", &blas.gemm, sizeof blas.gemm) &&
                 take(library, "dsyrk_", &blas.syrk, sizeof blas.syrk) &&
                 take(library, "dsyevd_", &blas.syevd, sizeof blas.syevd) &&
                 take(library, "dgesdd_", &blas.gesdd, sizeof blas.gesdd);
}

bool linear_available(void)
{
    pthread_once(&blas_once, load);
    return blas.found;
}

int linear_begin(size_t n_threads)
{
    if (!linear_available() || blas.get_threads == NULL || blas.set_threads == NULL)
        return 0;
    const int kept = blas.get_threads();
    const size_t all = threads_available();
    size_t wanted = n_threads > 0 ? n_threads : all < (size_t)kept ? all : (size_t)kept;
    wanted = wanted > MAX_THREADS ? MAX_THREADS : wanted;
    if (wanted <= (size_t)kept || has_room(wanted))
        blas.set_threads((int)wanted);
    return kept;
}

void linear_end(const int *kept)
{
    if (*kept > 0)
        blas.set_threads(*kept);
}

static sinpos_status from_info(int info)
{
    return info == 0 ? SINPOS_OK : SINPOS_E_VALUE;
}

sinpos_status linear_eigen(double *a, size_t dim, double *values)
{
    const int order = (int)dim, ask = -1;
    double work_size = 0;
    int int_work_size = 0, info = 0;
    if (!linear_available())
        return SINPOS_E_UNSUPPORTED;
    blas.syevd("V", "L", &order, a, &order, values, &work_size, &ask, &int_work_size, &ask, &info, 1, 1);
    if (info != 0 || !(work_size < 0x1p31))
        return SINPOS_E_MEMORY;
    const int n_work = (int)work_size;
    OWNED double *work = malloc((size_t)n_work * sizeof *work);
    OWNED int *int_work = malloc((size_t)int_work_size * sizeof *int_work);
    if (work != NULL && int_work != NULL)
        blas.syevd("V", "L", &order, a, &order, values, work, &n_work, int_work, &int_work_size, &info, 1, 1);
    return work == NULL || int_work == NULL ? SINPOS_E_MEMORY : from_info(info);
}

sinpos_status linear_singular(double *a, size_t m, size_t n, double *values)
{
    const int rows = (int)n, columns = (int)m, one = 1, ask = -1;
    double work_size = 0, none = 0;
    int info = 0;
    if (!linear_available())
        return SINPOS_E_UNSUPPORTED;
    OWNED int *int_work = malloc(8 * (m < n ? m : n) * sizeof *int_work);
    if (int_work == NULL)
        return SINPOS_E_MEMORY;
    blas.gesdd("N", &rows, &columns, a, &rows, values, &none, &one, &none, &one, &work_size, &ask, int_work, &info, 1);
    const int n_work = info == 0 && work_size < 0x1p31 ? (int)work_size : 0;
    OWNED double *work = n_work > 0 ? malloc((size_t)n_work * sizeof *work) : NULL;
    if (work != NULL)
        blas.gesdd("N", &rows, &columns, a, &rows, values, &none, &one, &none, &one, work, &n_work, int_work, &info, 1);
    return work == NULL ? SINPOS_E_MEMORY : from_info(info);
}

static double entry(linear_matrix a, size_t i, size_t j)
{
    return a.transposed ? a.data[j * a.ld + i] : a.data[i * a.ld + j];
}

static double dot_in_lanes(const double *a, const double *b, size_t n)
{
    enum { LANES = 8 };
    double lanes[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lanes[j] += a[i + j] * b[i + j];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (size_t j = 0; j < LANES; j++)
        sum += lanes[j];
    return sum;
}

/* Row i of c; b's rows are added, or where it is transposed multiplied with row i of a. */
static void plain_row(size_t i, size_t n, size_t k, double alpha, linear_matrix a, linear_matrix b, double *row)
{
    if (b.transposed && !a.transposed) {
        for (size_t j = 0; j < n; j++)
            row[j] += alpha * dot_in_lanes(a.data + i * a.ld, b.data + j * b.ld, k);
        return;
    }
    for (size_t l = 0; l < k; l++) {
        const double factor = alpha * entry(a, i, l);
        for (size_t j = 0; j < n; j++)
            row[j] += factor * entry(b, l, j);
    }
}

void linear_product(size_t m, size_t n, size_t k, double alpha, linear_matrix a, linear_matrix b, double beta,
                    double *c, size_t ld_c)
{
    if (m == 0 || n == 0)
        return;
    if (k > 0 && linear_available()) { /* in column-major terms c' = op(b)' op(a)' */
        const int rows = (int)m, columns = (int)n, inner = (int)k, ld_a = (int)a.ld, ld_b = (int)b.ld, ld = (int)ld_c;
        blas.gemm(b.transposed ? "T" : "N", a.transposed ? "T" : "N", &columns, &rows, &inner, &alpha, b.data, &ld_b,
                  a.data, &ld_a, &beta, c, &ld, 1, 1);
        return;
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            c[i * ld_c + j] = beta == 0 ? 0 : beta * c[i * ld_c + j];
        plain_row(i, n, k, alpha, a, b, c + i * ld_c);
    }
}

void linear_gram(const double *rows, size_t n, size_t dim, size_t ld, double *gram)
{
    if (n > 0 && linear_available()) {
        const int order = (int)dim, inner = (int)n, ld_rows = (int)ld;
        const double one = 1;
        blas.syrk("L", "N", &order, &inner, &one, rows, &ld_rows, &one, gram, &order, 1, 1);
        return;
    }
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < dim; i++)
            for (size_t j = i; j < dim; j++)
                gram[i * dim + j] += rows[r * ld + i] * rows[r * ld + j];
}

double linear_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void linear_mirror(double *a, size_t dim)
{
    for (size_t i = 0; i < dim; i++)
        for (size_t j = i + 1; j < dim; j++)
            a[j * dim + i] = a[i * dim + j];
}

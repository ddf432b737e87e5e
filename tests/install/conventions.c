/* Every convention by its defaults: its name and the first rows of what it makes, in bytes, on standard output. */
#include <sinpos_conventions.h>
#include <stdio.h>
#include <stdlib.h>

static int rows_of(const sinpos_encoding *e)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t n = info->n_rows < 40 ? info->n_rows : 40, n_all = n * info->n_columns;
    float *rows = malloc(n_all * sizeof *rows + 1);
    const int bad = rows == NULL || sinpos_encoding_fill(e, 0, n, SINPOS_F32, rows, info->n_columns, 1) != SINPOS_OK ||
                    fwrite(rows, sizeof *rows, n_all, stdout) != n_all;
    free(rows);
    return bad;
}

int main(void)
{
    size_t n_made = 0;
    for (size_t i = 0; i < sinpos_conventions_count(); i++) {
        const char *name = sinpos_convention_name(sinpos_convention_at(i));
        sinpos_encoding *e;
        puts(name);
        if (sinpos_encoding_create(&e, name, NULL, SINPOS_F32, NULL) == SINPOS_OK) {
            if (rows_of(e) != 0)
                return 1;
            n_made++;
            sinpos_encoding_destroy(e);
        }
    }
    return n_made < 100;
}

/* identify_defects.c - findings: where a table is not what one would make today, and what mends it. */
#include "boundary.h"
#include "elements.h"
#include "identify_mend.h"

#include <stdarg.h>
#include <stdio.h>

/* Columns that a sentence lists. */
#define MOST_NAMED 6

const char *sinpos_defect_name(sinpos_defect_kind kind)
{
    BOUNDARY;
    static const char *const names[] = {"sign",   "constant",  "scale", "dropout", "altered", "columns",     "stacked",
                                        "angles", "positions", "start", "divisor", "noise",   "permutation", "type"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

/* Room for a new one, about the whole of this part of the array. */
static sinpos_defect *add(sinpos_identity *identity, const sinpos_identity *part, sinpos_defect_kind kind)
{
    sinpos_defect *grown = realloc(identity->defects, (identity->n_defects + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    identity->defects = grown;
    sinpos_defect *defect = &grown[identity->n_defects++];
    *defect = (sinpos_defect){.kind = kind,
                              .first_row = part->first_row,
                              .last_row = part->first_row + part->n - 1,
                              .first_column = part->columns == NULL ? 0 : part->columns[0],
                              .last_column = part->columns == NULL ? part->dim - 1 : part->columns[part->dim - 1],
                              .n_columns = part->dim,
                              .elements = (uint64_t)part->n * part->dim};
    return defect;
}

static void say(char text[160], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char text[160], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, 160, format, arguments);
    va_end(arguments);
}

/* Counts a column of the array in. */
static void add_column(sinpos_defect *defect, size_t column)
{
    if (defect->n_columns < SINPOS_IDENTITY_LISTED)
        defect->column[defect->n_columns] = column;
    defect->first_column = defect->n_columns == 0 ? column : defect->first_column;
    defect->last_column = column;
    defect->n_columns++;
}

/* "column 7", "columns 0 to 63", "columns 1, 5, 9 and 20 more". */
static const char *column_words(const sinpos_defect *defect, char text[96])
{
    size_t used = (size_t)snprintf(text, 96, "column%s %zu", defect->n_columns == 1 ? "" : "s", defect->first_column);
    if (defect->n_columns == 1)
        return text;
    if (defect->last_column - defect->first_column + 1 == defect->n_columns) {
        snprintf(text + used, 96 - used, " to %zu", defect->last_column);
        return text;
    }
    for (size_t i = 1; i < defect->n_columns && i < MOST_NAMED; i++)
        used += (size_t)snprintf(text + used, 96 - used, ", %zu", defect->column[i]);
    if (defect->n_columns > MOST_NAMED)
        snprintf(text + used, 96 - used, " and %zu more", defect->n_columns - MOST_NAMED);
    return text;
}

static size_t column_of(const sinpos_identity *part, size_t j)
{
    return part->columns == NULL ? j : part->columns[j];
}

/* Does a convention make the table without a parameter that is named by one of these words? */
static bool is_made_by_convention(const sinpos_identity *part, const char *const *words, size_t n)
{
    for (size_t k = 0; k < part->n_conventions; k++) {
        bool is_stated = false;
        for (size_t i = 0; i < n && part->conventions[k].settings != NULL; i++)
            is_stated = is_stated || strstr(part->conventions[k].settings, words[i]) != NULL;
        if (!is_stated)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------- changed columns */

static bool name_levels(sinpos_identity *identity, const sinpos_identity *part)
{
    sinpos_defect *scale = add(identity, part, SINPOS_DEFECT_SCALE);
    if (scale == NULL)
        return false;
    say(scale->sentence, "each column was multiplied by a number of its own");
    say(scale->repair, "divide each column by its number, or make the table anew");
    sinpos_defect *constant = add(identity, part, SINPOS_DEFECT_CONSTANT);
    if (constant == NULL)
        return false;
    say(constant->sentence, "to each column a number of its own was added");
    say(constant->repair, "subtract them, or make the table anew");
    return true;
}

static bool name_signs(sinpos_identity *identity, const sinpos_identity *part)
{
    char text[96];
    size_t n = 0;
    for (size_t j = 0; j < part->dim; j++)
        n += part->column_factor[j] < 0;
    sinpos_defect *defect = n == 0 ? NULL : add(identity, part, SINPOS_DEFECT_SIGN);
    if (defect == NULL)
        return n == 0;
    defect->n_columns = 0;
    for (size_t j = 0; j < part->dim; j++)
        if (part->column_factor[j] < 0)
            add_column(defect, column_of(part, j));
    defect->elements = (uint64_t)n * part->n;
    say(defect->sentence, "%s %s negated", column_words(defect, text), n == 1 ? "is" : "are");
    say(defect->repair, "negate %s", column_words(defect, text));
    return true;
}

static bool name_constant(sinpos_identity *identity, const sinpos_identity *part)
{
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_CONSTANT);
    if (defect == NULL)
        return false;
    defect->value = part->column_offset[0];
    say(defect->sentence, "%.10g was added to every element", defect->value);
    say(defect->repair, "subtract %.10g", defect->value);
    return true;
}

static bool name_scale(sinpos_identity *identity, const sinpos_identity *part)
{
    static const char *const words[] = {"alpha", "amplitude", "scale", "std", "factor"};
    const double root = sqrt((double)part->dim), usual = part->dropped > 0 ? 1 / (1 - part->dropped) : 1;
    if (fabs(part->amplitude / usual - 1) < (part->dropped > 0 ? 0.05 : 1e-12) ||
        part->scaling != SINPOS_SCALING_NONE || is_made_by_convention(part, words, 5))
        return true;
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_SCALE);
    if (defect == NULL)
        return false;
    defect->value = part->amplitude;
    say(defect->sentence, "every element was multiplied by %.10g%s", part->amplitude,
        part->amplitude == root       ? ", the square root of the width"
        : part->amplitude == 1 / root ? ", one by the square root of the width"
                                      : "");
    say(defect->repair, "divide by %.10g", part->amplitude);
    return true;
}

static bool name_dropout(sinpos_identity *identity, const sinpos_identity *part)
{
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_DROPOUT);
    if (defect == NULL)
        return false;
    defect->value = part->dropped;
    defect->elements = (uint64_t)(part->dropped * (double)part->n * (double)part->dim);
    say(defect->sentence, "%.2g %% of the elements are 0, as dropout leaves them", 100 * part->dropped);
    say(defect->repair, "save the table in evaluation mode, or make it anew");
    return true;
}

/* ---------------------------------------------------------------------------------- which columns there are */

typedef struct census {
    size_t n_sines, n_cosines, n_pairs, n_twice;
} census;

/* Sines, cosines, pairs of both, and columns that are there before. */
static census count_columns(const sinpos_identity *part)
{
    census all = {0};
    for (size_t k = 0; k < part->n_tones; k++) {
        const bool has_sine = part->sin_column[k] >= 0, has_cosine = part->cos_column[k] >= 0;
        const bool is_again = k > 0 && part->tone_index[k] == part->tone_index[k - 1];
        all.n_sines += has_sine;
        all.n_cosines += has_cosine;
        all.n_pairs += has_sine && has_cosine;
        all.n_twice += is_again ? (size_t)has_sine + (size_t)has_cosine : 0;
    }
    return all;
}

/* Columns of the array that do not rise in the part. */
static bool is_reordered(const sinpos_identity *part)
{
    size_t j = 1;
    while (part->columns != NULL && j < part->dim && part->columns[j] > part->columns[j - 1])
        j++;
    return part->columns != NULL && j < part->dim;
}

/* From fast to slow frequencies, do columns lie from the last to the first? */
static bool is_backward(const sinpos_identity *part)
{
    bool is = part->nest == SINPOS_NEST_PERMUTED && part->n_tones > 1 && part->n_axes == 1;
    for (size_t k = 1; k < part->n_tones && is; k++)
        is = part->sin_column[k] < part->sin_column[k - 1] && part->cos_column[k] < part->cos_column[k - 1];
    return is;
}

static bool name_missing(sinpos_identity *identity, const sinpos_identity *part)
{
    const census all = count_columns(part);
    const bool is_convention = part->encoding != NULL && part->columns == NULL; /* whose order is as it should be */
    if (is_convention || (part->nest != SINPOS_NEST_PERMUTED && !is_reordered(part)))
        return true;
    const bool is_whole = part->nest != SINPOS_NEST_PERMUTED || (all.n_pairs == part->n_tones && all.n_twice == 0);
    sinpos_defect *defect = add(identity, part, is_whole ? SINPOS_DEFECT_ORDER : SINPOS_DEFECT_COLUMNS);
    if (defect == NULL)
        return false;
    if (is_whole) {
        say(defect->sentence, is_backward(part) ? "columns are in reverse order" : "columns are in no usual order");
        say(defect->repair, "choose the columns of the exact table as the command does");
    } else if (all.n_sines == 0 || all.n_cosines == 0) {
        const char *held = all.n_sines == 0 ? "cosines" : "sines", *missing = all.n_sines == 0 ? "sines" : "cosines";
        say(defect->sentence, "the table holds %s only%s: half of an encoding, as a cache of a rotary encoding does",
            held, all.n_twice > 0 ? ", each twice" : "");
        say(defect->repair, "the %s are in another array, or make both", missing);
    } else if (all.n_twice > 0) {
        say(defect->sentence, "%zu columns are there twice", all.n_twice);
        say(defect->repair, "leave the copies out");
    } else {
        const size_t n = all.n_sines + all.n_cosines - 2 * all.n_pairs;
        say(defect->sentence, "%zu column%s without a sine or cosine beside %s: a slice of a wider table", n,
            n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
        say(defect->repair, "slice at an even column, or make the whole table");
    }
    return true;
}

/* Copies that the explanation has another frequency for. */
static bool name_copies(sinpos_identity *identity, const sinpos_table *table)
{
    id_view view;
    bool is_possible, are_copies = false;
    if (identity->view != SINPOS_VIEW_ROWS || identity->n_others > 0 || id_knows_copies(identity))
        return true;
    sinpos_status status = id_view_make(&view, table, SINPOS_VIEW_ROWS, &is_possible);
    size_t *columns = malloc((view.dim + 1) * sizeof *columns);
    status = columns == NULL       ? SINPOS_E_MEMORY
             : status != SINPOS_OK ? status
                                   : id_find_copies(&view, columns, &are_copies);
    sinpos_defect *defect = are_copies ? add(identity, identity, SINPOS_DEFECT_COLUMNS) : NULL;
    if (defect != NULL) {
        char words[96];
        defect->n_columns = 0;
        for (size_t k = view.dim / 2; k < view.dim; k++)
            add_column(defect, columns[k]);
        say(defect->sentence, "%s are copies of others", column_words(defect, words));
        say(defect->repair, "leave the copies out");
    }
    free(columns);
    return status != SINPOS_E_MEMORY && (defect != NULL || !are_copies);
}

/* ------------------------------------------------------------------------------------- rows and columns */

static bool has_column(const sinpos_identity *part, size_t column)
{
    size_t j = 0;
    while (j < part->dim && column_of(part, j) != column)
        j++;
    return j < part->dim;
}

/* Does this part, or another one, hold the column? */
static bool is_held(const sinpos_identity *identity, size_t column)
{
    bool is = has_column(identity, column);
    for (size_t i = 0; i < identity->n_others && !is; i++)
        is = has_column(identity->others[i], column);
    return is;
}

static bool shares_rows(const sinpos_identity *part, size_t first, size_t end)
{
    return part->first_row < end && part->first_row + part->n > first;
}

static void describe(const sinpos_identity *part, char text[96])
{
    const sinpos_identity_axis *axis = &part->axis[0];
    if (axis->law == SINPOS_LAW_GEOMETRIC || axis->rounded_to > 0)
        snprintf(text, 96, "base %.10g, positions from %.10g", axis->rounded_to > 0 ? axis->rounded_base : axis->base,
                 axis->start);
    else
        snprintf(text, 96, "frequencies from a list");
}

static bool name_other(sinpos_identity *identity, const sinpos_identity *other)
{
    const bool is_beside = other->columns != NULL && identity->columns != NULL &&
                           shares_rows(other, identity->first_row, identity->first_row + identity->n);
    bool is_cut = false; /* some columns of rows that the first part does not hold */
    for (size_t i = 0; i < identity->n_others && identity->others[i] != other && !is_beside; i++)
        is_cut = is_cut || (identity->others[i]->columns != NULL && other->columns != NULL &&
                            shares_rows(other, identity->others[i]->first_row,
                                        identity->others[i]->first_row + identity->others[i]->n));
    char words[96], what[96];
    sinpos_defect *defect = add(identity, other, is_beside || is_cut ? SINPOS_DEFECT_COLUMNS : SINPOS_DEFECT_STACKED);
    if (defect == NULL)
        return false;
    describe(other, what);
    for (size_t j = defect->n_columns = 0; j < other->dim; j++)
        add_column(defect, column_of(other, j));
    if (other->is_copy) {
        defect->kind = SINPOS_DEFECT_COLUMNS;
        say(defect->sentence, "%s are copies of others", column_words(defect, words));
        say(defect->repair, "leave the copies out");
    } else if (is_cut) {
        say(defect->sentence, "%s of rows %zu to %zu are another encoding: %s", column_words(defect, words),
            defect->first_row, defect->last_row, what);
        say(defect->repair, "split the array there");
    } else if (is_beside) {
        say(defect->sentence, "%s are another encoding: %s", column_words(defect, words), what);
        say(defect->repair, "split the array there");
    } else {
        say(defect->sentence, "rows %zu to %zu are another encoding: %s", defect->first_row, defect->last_row, what);
        say(defect->repair, "split the array there");
    }
    return true;
}

static bool name_unrelated_columns(sinpos_identity *identity, size_t all)
{
    char words[96];
    size_t n = 0;
    for (size_t j = 0; j < all && identity->columns != NULL; j++)
        n += !is_held(identity, j);
    sinpos_defect *defect = n == 0 ? NULL : add(identity, identity, SINPOS_DEFECT_COLUMNS);
    if (defect == NULL)
        return n == 0;
    defect->n_columns = 0;
    for (size_t j = 0; j < all; j++)
        if (!is_held(identity, j))
            add_column(defect, j);
    defect->elements = (uint64_t)n * identity->n;
    say(defect->sentence, "%s %s not belong to the encoding", column_words(defect, words), n == 1 ? "does" : "do");
    say(defect->repair, "leave %s out", n == 1 ? "it" : "them");
    return true;
}

/* Does another part hold the column in some of these rows? */
static bool is_held_there(const sinpos_identity *identity, const sinpos_identity *own, size_t column, size_t first,
                          size_t end)
{
    bool is = false;
    for (size_t i = 0; i <= identity->n_others && !is; i++) {
        const sinpos_identity *part = i == 0 ? identity : identity->others[i - 1];
        is = part != own && shares_rows(part, first, end) && has_column(part, column);
    }
    return is;
}

/* Rows before or after a part, where no other part holds them, or not all of its columns. */
static bool name_unrelated_rows(sinpos_identity *identity, const sinpos_identity *own, size_t first, size_t end)
{
    char words[96];
    size_t n = 0;
    for (size_t j = 0; j < own->dim && first < end; j++)
        n += !is_held_there(identity, own, column_of(own, j), first, end);
    const bool is_all = n == own->dim;
    sinpos_defect *defect = n == 0 ? NULL : add(identity, own, is_all ? SINPOS_DEFECT_STACKED : SINPOS_DEFECT_COLUMNS);
    if (defect == NULL)
        return n == 0;
    defect->first_row = first;
    defect->last_row = end - 1;
    defect->elements = (uint64_t)(end - first) * n;
    for (size_t j = defect->n_columns = is_all ? own->dim : 0; j < own->dim; j++)
        if (!is_held_there(identity, own, column_of(own, j), first, end))
            add_column(defect, column_of(own, j));
    if (!is_all) {
        say(defect->sentence, "%s of rows %zu to %zu %s not belong to the encoding", column_words(defect, words), first,
            end - 1, n == 1 ? "does" : "do");
        say(defect->repair, "leave %s out", n == 1 ? "it" : "them");
        return true;
    }
    if (end - first == 1)
        say(defect->sentence, "row %zu does not belong to the encoding", first);
    else
        say(defect->sentence, "rows %zu to %zu do not belong to the encoding", first, end - 1);
    say(defect->repair, "leave %s out: the encoding begins at row %zu", end - first == 1 ? "it" : "them",
        first == 0 ? end : own->first_row);
    return true;
}

/* Listed positions that repeat from the first one on. */
static bool name_repeated(sinpos_identity *identity, const sinpos_identity *part)
{
    const double *p = part->positions;
    size_t every = 1, row;
    while (every < part->n && p[every] != p[0])
        every++;
    for (row = every; row < part->n && p[row] == p[row - every]; row++)
        ;
    if (every < 2 || every == part->n || row < part->n)
        return true;
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_STACKED);
    if (defect == NULL)
        return false;
    defect->first_row += every;
    defect->elements = (uint64_t)(part->n - every) * part->dim;
    say(defect->sentence, "rows %zu to %zu repeat rows %zu to %zu", defect->first_row, defect->last_row,
        part->first_row, defect->first_row - 1);
    say(defect->repair, "keep rows %zu to %zu", part->first_row, defect->first_row - 1);
    return true;
}

static bool name_parts(sinpos_identity *identity, size_t n, size_t dim)
{
    bool is_done = name_unrelated_columns(identity, dim);
    for (size_t i = 0; i < identity->n_others && is_done; i++)
        is_done = name_other(identity, identity->others[i]);
    for (size_t i = 0; i <= identity->n_others && is_done; i++) {
        const sinpos_identity *part = i == 0 ? identity : identity->others[i - 1];
        is_done = name_unrelated_rows(identity, part, 0, part->first_row) &&
                  name_unrelated_rows(identity, part, part->first_row + part->n, n);
    }
    return is_done;
}

/* --------------------------------------------------------------------------------- numbers and arithmetic */

static bool name_altered(sinpos_identity *identity, const sinpos_identity *part)
{
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_ALTERED);
    if (defect == NULL)
        return false;
    const sinpos_identity_box *box = &part->altered_box;
    const unsigned long long n = part->n_altered;
    const size_t row = part->first_row + part->altered[0].row, column = column_of(part, part->altered[0].column);
    defect->elements = part->n_altered;
    defect->first_row = part->first_row + box->first_row;
    defect->last_row = part->first_row + box->last_row;
    if (box->first_column == box->last_column) {
        defect->n_columns = 0;
        add_column(defect, column);
    }
    if (n > 1 && box->first_row == box->last_row)
        say(defect->sentence, "%llu elements of row %zu are far off; the first is in column %zu", n, row, column);
    else if (n > 1 && box->first_column == box->last_column)
        say(defect->sentence, "%llu elements of column %zu are far off; the first is in row %zu", n, column, row);
    else
        say(defect->sentence, "%llu element%s far off; the first is in row %zu, column %zu", n,
            n == 1 ? " is" : "s are", row, column);
    say(defect->repair, "make the table anew: %s", part->n_altered == 1 ? "it is listed" : "the first ones are listed");
    return true;
}

/* The sine of code that computes it in float32 decides one tie in so many otherwise: elements of 16 bits then differ. */
static bool are_ties(const sinpos_identity *part)
{
    const double ties = 2 * 0x1p-24 / type_unit(part->type);
    return (double)part->unexplained <= ties * (double)part->total.elements;
}

static bool name_rounding(sinpos_identity *identity, const sinpos_identity *part)
{
    const bool is_positions = strstr(part->arithmetic, "positions") != NULL;
    if (part->total.wrong == 0 || part->arithmetic[0] == '\0' ||
        (!are_ties(part) && sinpos_type_bytes(part->type) == 2) || strncmp(part->arithmetic, "float64", 7) == 0 ||
        strncmp(part->arithmetic, "exact", 5) == 0)
        return true;
    sinpos_defect *defect = add(identity, part, is_positions ? SINPOS_DEFECT_POSITIONS : SINPOS_DEFECT_ANGLES);
    if (defect == NULL)
        return false;
    defect->elements = part->total.wrong;
    const char *who = strncmp(part->arithmetic, "as published by ", 16) == 0 ? part->arithmetic + 16 : part->arithmetic;
    const char *end = strstr(who, "float16-positions");
    if (is_positions && end != NULL) {
        say(defect->sentence, "positions are rounded to %.*s", (int)(end - who) + 7, who);
        say(defect->repair, "keep positions in float32: make the table exactly, as the command does");
        return true;
    }
    if (strcmp(who, "bfloat16") == 0 || strcmp(who, "float16") == 0) {
        say(defect->sentence, "angles are rounded to %s, as are frequencies, positions and sines", who);
        say(defect->repair, "compute in float32, outside of autocast: make the table exactly, as the command does");
        return true;
    }
    say(defect->sentence, "%s are rounded as in the arithmetic of %s", is_positions ? "positions" : "angles", who);
    say(defect->repair, "make the table exactly, as the command does");
    return true;
}

/* The formulas of which listed frequencies are the roundings. */
static void name_rounded_laws(sinpos_identity *identity)
{
    for (size_t a = 0; a < identity->n_axes; a++) {
        sinpos_identity_axis *axis = &identity->axis[a];
        id_rounded_law law;
        double farthest = 0;
        if (axis->law != SINPOS_LAW_LIST || identity->scaling != SINPOS_SCALING_NONE || axis->base > 0)
            continue;
        for (size_t i = 0; i < identity->n; i++)
            farthest = fmax(farthest, fabs(id_position(identity, i, a)));
        id_find_rounded_law(&law, axis->theta, axis->n_frequencies, identity->width, 8 * 0x1p-24 / fmax(farthest, 1));
        axis->rounded_to = law.bits;
        axis->rounded_scale = law.scale;
        axis->rounded_base = law.base;
        axis->rounded_divisor = law.divisor;
        for (size_t i = 0; i < axis->n_frequencies && (law.bits == 8 || law.bits == 11); i++)
            axis->theta[i] = id_to_bits(axis->theta[i], law.bits);
    }
}

/* Of float32 it is the arithmetic that is named, where one is known. */
static bool name_rounded_frequencies(sinpos_identity *identity, const sinpos_identity *part)
{
    const sinpos_identity_axis *axis = &part->axis[0];
    const char *type = axis->rounded_to == 8 ? "bfloat16" : axis->rounded_to == 11 ? "float16" : "float32";
    if (axis->rounded_to == 0 || (axis->rounded_to == 24 && part->arithmetic[0] != '\0'))
        return true;
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_ANGLES);
    if (defect == NULL)
        return false;
    say(defect->sentence, "frequencies are rounded to %s", type);
    say(defect->repair, axis->rounded_to == 24
                            ? "make the table exactly, with the base"
                            : "keep frequencies in float32, as a buffer that the model's type does not change");
    return true;
}

static bool name_start(sinpos_identity *identity, const sinpos_identity *part)
{
    static const char *const words[] = {"start", "position", "offset", "past", "padding"};
    const sinpos_identity_axis *axis = &part->axis[0];
    const bool has_unit = axis->law != SINPOS_LAW_LIST || axis->base > 0 || axis->start == rint(axis->start);
    if (part->n_axes > 1 || part->positions != NULL || axis->start == 0 || part->n_zero_first > 0 || !has_unit ||
        is_made_by_convention(part, words, 5))
        return true;
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_START);
    if (defect == NULL)
        return false;
    defect->value = axis->start;
    say(defect->sentence, "positions begin at %.10g", axis->start);
    say(defect->repair, "begin at 0, unless the model counts so");
    return true;
}

static bool name_divisor(sinpos_identity *identity, const sinpos_identity *part)
{
    const sinpos_identity_axis *axis = &part->axis[0];
    const double divisor = axis->rounded_to > 0 ? axis->rounded_divisor : axis->divisor;
    if (part->n_axes > 1 || (axis->law != SINPOS_LAW_GEOMETRIC && axis->rounded_to == 0) || part->n_conventions > 0 ||
        divisor != (double)axis->n_frequencies - 1)
        return true;
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_DIVISOR);
    if (defect == NULL)
        return false;
    defect->value = divisor;
    say(defect->sentence, "the divisor is %.10g, one less than the %zu frequencies", divisor, axis->n_frequencies);
    say(defect->repair, "divide by %zu, as the paper does, unless the model was trained so", axis->n_frequencies);
    return true;
}

static bool name_type(sinpos_identity *identity)
{
    const char *type = type_words(identity->type), *stored = type_words(identity->stored_type);
    if (identity->type == identity->stored_type)
        return true;
    sinpos_defect *defect = add(identity, identity, SINPOS_DEFECT_TYPE);
    if (defect == NULL)
        return false;
    say(defect->sentence, "all elements are numbers of %s, kept as %s", type, stored);
    say(defect->repair, "make the table anew in %s, unless %s is meant", stored, type);
    return true;
}

static bool name_noise(sinpos_identity *identity, const sinpos_identity *part)
{
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_NOISE);
    if (defect == NULL)
        return false;
    defect->value = part->noise;
    say(defect->sentence, "noise of standard deviation %.2g was added", part->noise);
    say(defect->repair, "make the table anew, unless it was trained");
    return true;
}

/* Integers times a number have errors that look like noise. */
static bool name_noise_or_step(sinpos_identity *identity, const sinpos_identity *part, const sinpos_table *table)
{
    double step;
    if (id_find_step(table, &step) != SINPOS_OK)
        return false;
    if (step == 0)
        return name_noise(identity, part);
    sinpos_defect *defect = add(identity, part, SINPOS_DEFECT_TYPE);
    if (defect == NULL)
        return false;
    defect->value = step;
    say(defect->sentence, "all elements are multiples of %.7g, as of integers that were scaled", step);
    say(defect->repair, "make the table anew, unless that type is meant");
    return true;
}

sinpos_status id_name_defects(sinpos_identity *identity, const sinpos_table *table)
{
    const size_t dim = table->shape[table->n_dims - 1];
    size_t n = 1;
    for (size_t i = 0; i + 1 < table->n_dims; i++)
        n *= table->shape[i];
    for (size_t i = 0; identity->is_sinusoidal && i <= identity->n_others; i++)
        name_rounded_laws(i == 0 ? identity : identity->others[i - 1]);
    bool is_done = !identity->is_sinusoidal || (name_type(identity) && name_copies(identity, table));
    is_done =
        is_done && (!identity->is_sinusoidal || identity->view != SINPOS_VIEW_ROWS || name_parts(identity, n, dim));
    for (size_t i = 0; i <= identity->n_others && identity->is_sinusoidal && is_done; i++) {
        const sinpos_identity *part = i == 0 ? identity : identity->others[i - 1];
        const bool is_levelled = id_has_levels(part);
        if (part->is_copy) /* what is wrong with it was said of what it copies */
            continue;
        is_done = part->positions == NULL || part->n_axes > 1 || name_repeated(identity, part);
        is_done = is_done && name_missing(identity, part);
        is_done = is_done && (is_levelled ? name_levels(identity, part) : name_scale(identity, part));
        is_done = is_done && (part->column_factor == NULL || is_levelled || name_signs(identity, part));
        is_done = is_done && (part->column_offset == NULL || is_levelled || name_constant(identity, part));
        is_done = is_done && (part->dropped == 0 || name_dropout(identity, part));
        is_done = is_done && (part->n_altered == 0 || name_altered(identity, part));
        is_done = is_done && (part->noise == 0 || name_noise_or_step(identity, part, table));
        is_done = is_done && name_rounding(identity, part) && name_rounded_frequencies(identity, part) &&
                  name_start(identity, part) && name_divisor(identity, part);
    }
    return is_done ? SINPOS_OK : SINPOS_E_MEMORY;
}

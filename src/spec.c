/* Specifications: what is allowed, and the list of tones each stands for. */
#include <math.h>
#include <string.h>

#include "internal.h"

size_t spec_frequencies(const sinpos_spec *s)
{
    return s->odd == SINPOS_ZERO ? s->dim / 2 : s->dim / 2 + s->dim % 2;
}

size_t sinpos_spec_frequencies(const sinpos_spec *spec)
{
    BOUNDARY;
    return spec == NULL ? 0 : spec_frequencies(spec);
}

/* Largest amplitude that rounds to a finite number of the type. */
double sinpos_type_limit(sinpos_type type)
{
    switch (type) {
    case SINPOS_F16: return 0x1.ffdffffffffffp15;   /* below 65520, a tie that goes to infinity */
    case SINPOS_BF16: return 0x1.fefffffffffffp127; /* below 2^128 - 2^119 */
    case SINPOS_F32: return 0x1.fffffefffffffp127;  /* below 2^128 - 2^103 */
    case SINPOS_F64: break;
    }
    return 0x1.fffffffffffffp1023;
}

static sinpos_status check_choices(const sinpos_spec *s, sinpos_error *error)
{
    if (s->dim == 0 || s->dim > SINPOS_MAX_DIM)
        return error_set(error, "dim", "dim must be between 1 and 2^31");
    if ((unsigned)s->schedule > SINPOS_EXPLICIT)
        return error_set(error, "schedule", "schedule must be geometric, power, octave, turns or explicit");
    if ((unsigned)s->layout > SINPOS_HALVES)
        return error_set(error, "layout", "layout must be interleaved or halves");
    if ((unsigned)s->order > SINPOS_COS_SIN)
        return error_set(error, "order", "order must be sin-cos or cos-sin");
    if ((unsigned)s->odd > SINPOS_ZERO)
        return error_set(error, "odd", "odd must be truncate or zero");
    if (s->types & ~(unsigned)ALL_TYPES)
        return error_set(error, "types", "types must be a set of element types");
    return SINPOS_OK;
}

static sinpos_status check_numbers(const sinpos_spec *s, sinpos_error *error)
{
    if (!(s->base > 0) || !isfinite(s->base))
        return error_set(error, "base", "base must be positive and finite");
    if (!(s->base_divisor > 0) || !isfinite(s->base_divisor))
        return error_set(error, "base_divisor", "base_divisor must be positive and finite");
    if (!isfinite(s->exponent))
        return error_set(error, "exponent", "exponent must be finite");
    if (!isfinite(s->shift))
        return error_set(error, "shift", "shift must be finite");
    if (!isfinite(s->divisor))
        return error_set(error, "divisor", "divisor must be finite; 0 stands for dim/2");
    if (!isfinite(s->scale))
        return error_set(error, "scale", "scale must be finite");
    if (!isfinite(s->amplitude))
        return error_set(error, "amplitude", "amplitude must be finite");
    if (!isfinite(s->phase))
        return error_set(error, "phase", "phase must be finite");
    if (!isfinite(s->phase_turns))
        return error_set(error, "phase_turns", "phase_turns must be finite");
    return SINPOS_OK;
}

static sinpos_status check_lists(const sinpos_spec *s, sinpos_error *error)
{
    const size_t n = spec_frequencies(s);
    if (s->schedule == SINPOS_TURNS || s->schedule == SINPOS_EXPLICIT) {
        if (s->n_theta != n)
            return error_set(error, "n_theta", "n_theta must be the number of frequencies: half of dim");
        if (s->theta == NULL && n > 0)
            return error_set(error, "theta", "theta must be given for the schedules turns and explicit");
        for (size_t i = 0; i < n; i++)
            if (!isfinite(s->theta[i]))
                return error_set(error, "theta", "theta must be finite");
    } else if (s->theta != NULL) {
        return error_set(error, "theta", "theta is only for the schedules turns and explicit");
    }
    if (s->factor != NULL) {
        if (s->n_factor != n)
            return error_set(error, "n_factor", "n_factor must be the number of frequencies: half of dim");
        for (size_t i = 0; i < n; i++)
            if (!isfinite(s->factor[i]) || s->factor[i] == 0)
                return error_set(error, "factor", "factor must be finite and not zero");
    }
    return SINPOS_OK;
}

static double divisor_of(const sinpos_spec *s)
{
    if (s->divisor != 0)
        return s->divisor;
    return s->odd == SINPOS_ZERO ? (double)(s->dim / 2) : (double)s->dim / 2;
}

/* Every theta_i must exist and lie in the domain of tone_check(). Without lists the two ends stand for all. */
static sinpos_status check_schedule(const sinpos_spec *s, sinpos_error *error)
{
    const size_t n = spec_frequencies(s);
    const size_t step = s->theta != NULL || s->factor != NULL || n < 3 ? 1 : n - 1;
    for (size_t i = 0; i < n; i += step) {
        sinpos_tone tone;
        spec_tone(s, i, &tone);
        const sinpos_status status = tone_check(&tone, error);
        if (status != SINPOS_OK)
            return status;
    }
    return SINPOS_OK;
}

sinpos_status amplitude_check(double amplitude, unsigned types, sinpos_error *error)
{
    for (unsigned type = 1; type <= SINPOS_BF16 && amplitude > 1; type <<= 1)
        if ((types & type) && amplitude > sinpos_type_limit((sinpos_type)type)) {
            error_set(error, "amplitude", "amplitude must not exceed the largest number of a type that was asked for");
            return error->status = SINPOS_E_OVERFLOW;
        }
    return SINPOS_OK;
}

sinpos_status spec_read(sinpos_spec *own, const sinpos_spec *spec, sinpos_error *error)
{
    if (spec == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(own, spec, n_factor)) {
        error_set(error, "struct_size",
                  "struct_size must be sizeof(sinpos_spec), and unknown fields 0: "
                  "start from SINPOS_SPEC_INIT");
        return error->status = SINPOS_E_STRUCT;
    }
    sinpos_status status = check_choices(own, error);
    if (status == SINPOS_OK)
        status = check_numbers(own, error);
    if (status == SINPOS_OK)
        status = check_lists(own, error);
    if (status == SINPOS_OK)
        status = check_schedule(own, error);
    return status == SINPOS_OK ? amplitude_check(fabs(own->amplitude), own->types, error) : status;
}

sinpos_status sinpos_spec_check(const sinpos_spec *spec, sinpos_error *error)
{
    BOUNDARY;
    sinpos_spec own;
    sinpos_error found = SINPOS_ERROR_INIT;
    if (!error_is_fit(error))
        return SINPOS_E_STRUCT;
    return error_give(error, &found, spec_read(&own, spec, &found));
}

/* An octave with a whole index is a dyadic number of turns, so it is written as one. */
static void set_octave(const sinpos_spec *s, double index, sinpos_tone *tone)
{
    const double k = index + s->shift;
    const double index_part = k - s->shift;
    const double lost = (index - index_part) + (s->shift - (k - index_part));
    tone->in_turns = 1;
    if (k == floor(k) && lost == 0 && fabs(k) < 4000) {
        const double turns = ldexp(s->scale, (int)k - 1);
        if (isfinite(turns) && ldexp(turns, 1 - (int)k) == s->scale) {
            tone->schedule = SINPOS_EXPLICIT;
            tone->scale = turns;
            tone->value = 1;
            return;
        }
    }
    tone->schedule = SINPOS_GEOMETRIC;
    tone->base = 0.5;
    tone->base_divisor = 1;
    tone->divisor = 1;
    tone->scale = s->scale;
    tone->factor *= 2; /* pi, not 2 pi */
}

static void set_columns(const sinpos_spec *s, size_t i, sinpos_tone *tone)
{
    const size_t n = spec_frequencies(s);
    const size_t first = s->layout == SINPOS_INTERLEAVED ? 2 * i : i;
    const size_t second = s->layout == SINPOS_INTERLEAVED ? 2 * i + 1 : n + i;
    const ptrdiff_t b = second < s->dim ? (ptrdiff_t)second : SINPOS_NO_COLUMN;
    tone->sin_column = s->order == SINPOS_SIN_COS ? (ptrdiff_t)first : b;
    tone->cos_column = s->order == SINPOS_SIN_COS ? b : (ptrdiff_t)first;
}

void spec_tone(const sinpos_spec *s, size_t i, sinpos_tone *tone)
{
    memset(tone, 0, sizeof *tone);
    tone->schedule = s->schedule;
    tone->base = s->base;
    tone->base_divisor = s->base_divisor;
    tone->exponent = s->exponent;
    tone->index = (double)i;
    tone->shift = s->shift;
    tone->divisor = divisor_of(s);
    tone->scale = s->scale;
    tone->factor = s->factor != NULL ? s->factor[i] : 1.0;
    tone->phase = s->phase;
    tone->phase_turns = s->phase_turns;
    tone->amplitude = s->amplitude;
    set_columns(s, i, tone);
    if (s->schedule == SINPOS_OCTAVE)
        set_octave(s, (double)i, tone);
    if (s->schedule == SINPOS_TURNS || s->schedule == SINPOS_EXPLICIT) {
        tone->schedule = SINPOS_EXPLICIT;
        tone->in_turns = s->schedule == SINPOS_TURNS;
        tone->value = s->theta[i];
    }
}

void spec_tones(const sinpos_spec *s, sinpos_tone *tones, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || (s->schedule != SINPOS_GEOMETRIC && s->schedule != SINPOS_POWER)) {
            spec_tone(s, i, &tones[i]);
            continue;
        }
        tones[i] = tones[0];
        tones[i].index = (double)i;
        tones[i].factor = s->factor != NULL ? s->factor[i] : 1.0;
        set_columns(s, i, &tones[i]);
    }
}

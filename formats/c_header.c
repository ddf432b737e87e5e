/* c_header.c - a C array to be compiled in: decimals for float and double, bit patterns for the 16-bit types. */
#include "format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define OWN_PREFIX "sinpos_"

/* Is the name among the words of a list, with a blank between any two? */
static bool is_one_of(const char *list, const char *name, size_t length)
{
    for (; *list != '\0'; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && memcmp(list, name, length) == 0)
            return true;
    return false;
}

/* Keywords of C and C++, and what compilers define unasked. */
static bool is_keyword(const char *name)
{
    static const char keywords[] =
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
        "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
        "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
        "false float for friend goto i386 if inline int linux long main mutable namespace new noexcept not "
        "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
        "restrict return short signed sizeof static static_cast static_assert struct switch template this "
        "throw thread_local true try typedef typeid typename typeof union typeof_unqual unix unsigned using "
        "virtual void volatile wchar_t while xor xor_eq sinpos";
    return is_one_of(keywords, name, strlen(name));
}

/* Functions of <math.h>: of the standard, of POSIX and of the GNU library, each with the endings of its types. */
static bool is_function(const char *name)
{
    static const char functions[] =
        "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn "
        "copysign cos cosh cospi dadd ddiv dfma dmul drem dsqrt dsub erf erfc exp exp10 exp10m1 exp2 exp2m1 "
        "expm1 fabs fadd fdim fdiv ffma finite floor fma fmax fmin fmod fmul fpclassify frexp fsqrt fsub "
        "gamma hypot ilogb iscanonical iseqsig isfinite isgreater isgreaterequal isinf isless islessequal "
        "islessgreater isnan isnormal issignaling issubnormal isunordered iszero j0 j1 jn ldexp lgamma llogb "
        "llrint llround log log10 log10p1 log1p log2 log2p1 logb logp1 lrint lround modf nan nearbyint "
        "nextafter nextdown nexttoward nextup pow pow10 pown powr remainder remquo rint rootn round roundeven "
        "rsqrt scalb scalbln scalbn signbit signgam significand sin sincos sinh sinpi sqrt tan tanh tanpi "
        "tgamma trunc y0 y1 yn";
    static const char *const endings[] = {"_r", "f128x", "f64x", "f32x", "f128", "f64", "f32", "f16", "l", "f"};
    size_t length = strlen(name);
    bool is_found = is_one_of(functions, name, length);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !is_found; i++) {
        const size_t m = strlen(endings[i]);
        if (length > m && memcmp(name + length - m, endings[i], m) == 0) {
            is_found = is_one_of(functions, name, length - m);
            length -= i == 0 ? m : 0;
        }
    }
    return is_found;
}

/* Names that the language and the two headers included below keep for themselves. */
static bool is_taken(const char *name)
{
    static const char beginnings[] =
        "_ FP_ HUGE_VAL INFINITY INT MATH_ MAXFLOAT M_ NAN PTRDIFF_ SIG_ATOMIC_ SIZE_ SNAN UINT WCHAR_ WINT_ "
        "f32 f64 fmaximum fmaxmag fminimum fminmag fromfp getpayload math_errhandling setpayload totalorder "
        "ufromfp";
    const size_t length = strlen(name);
    for (const char *one = beginnings; *one != '\0'; one += strcspn(one, " "), one += *one == ' ')
        if (strncmp(name, one, strcspn(one, " ")) == 0)
            return true;
    return is_keyword(name) || is_function(name) || (length > 2 && strcmp(name + length - 2, "_t") == 0);
}

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (const char *p = name; *p != '\0'; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    return strlen(name) <= 200;
}

static sinpos_file_status c_check(const sinpos_array *array, const sinpos_writer_options *options,
                                  sinpos_file_error *error)
{
    const char *tensor = options->tensor;
    if (!is_identifier(tensor)) {
        return problem_about(error, "tensor",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "use letters, digits and underscores",
                                         "'%.60s' cannot be the name of a C array", tensor));
    }
    size_t elements;
    const sinpos_file_status status = sinpos_array_elements(array, &elements);
    if (status != SINPOS_FILE_OK || elements == 0 || array->n_dims == 0) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "write .npy or .safetensors",
                           "a C array needs at least one element");
    }
    return SINPOS_FILE_OK;
}

static const char *c_type(sinpos_element element)
{
    switch (element) {
    case SINPOS_ELEMENT_F64: return "double";
    case SINPOS_ELEMENT_F32: return "float";
    default: return "uint16_t";
    }
}

static sinpos_file_status c_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    char name[208], guard[208];
    size_t length = 0;
    snprintf(name, sizeof name, "%s%s", is_taken(writer->tensor) ? OWN_PREFIX : "", writer->tensor);
    for (; name[length] != '\0'; length++)
        guard[length] = (char)toupper((unsigned char)name[length]);
    guard[length] = '\0';
    sinpos_file_status status = text_format(
        writer, error, "/* %s%s, %s%s; written by sinpos %s */\n#ifndef %s_H\n#define %s_H\n\n#include <%s.h>\n\n",
        name, strcmp(name, writer->tensor) == 0 ? "" : " (the shorter name is taken)",
        sinpos_element_name(writer->array.element),
        sinpos_element_bytes(writer->array.element) == 2 ? " as bit patterns" : "", SINPOS_VERSION, guard, guard,
        sinpos_element_bytes(writer->array.element) == 2 ? "stdint" : "math");
    if (status == SINPOS_FILE_OK)
        status = text_format(writer, error, "static const %s %s", c_type(writer->array.element), name);
    for (size_t i = 0; i < writer->array.n_dims && status == SINPOS_FILE_OK; i++)
        status = text_format(writer, error, "[%zu]", writer->array.shape[i]);
    return status == SINPOS_FILE_OK ? text_put(writer, " = {", 4, error) : status;
}

/* A constant of the array's C type. */
static size_t c_constant(char text[2 * SINPOS_DECIMAL_BYTES], sinpos_element element, const void *data)
{
    if (sinpos_element_bytes(element) == 2) {
        uint16_t bits;
        memcpy(&bits, data, sizeof bits);
        return (size_t)snprintf(text, 2 * SINPOS_DECIMAL_BYTES, "0x%04x", bits);
    }
    size_t length = sinpos_decimal(text, (sinpos_type)element, data);
    if (strstr(text, "nan") != NULL || strstr(text, "inf") != NULL) {
        const char *word = strstr(text, "nan") != NULL ? "NAN" : text[0] == '-' ? "-INFINITY" : "INFINITY";
        return (size_t)snprintf(text, 2 * SINPOS_DECIMAL_BYTES, "%s", word);
    }
    if (strpbrk(text, ".e") == NULL) {
        memcpy(text + length, ".0", 2);
        length += 2;
    }
    if (element == SINPOS_ELEMENT_F32)
        text[length++] = 'f';
    return length;
}

/* How many inner braces open before element i, or, asked for i + 1, close after element i. */
static size_t n_braces(const sinpos_array *array, size_t i)
{
    size_t n = 0;
    size_t stride = 1;
    for (size_t k = array->n_dims; k-- > 1;) {
        stride *= array->shape[k];
        if (i % stride != 0)
            break;
        n++;
    }
    return n;
}

static sinpos_file_status c_element(struct sinpos_writer *writer, size_t i, const void *data, sinpos_file_error *error)
{
    char text[4 * SINPOS_MAX_FILE_DIMS + 2 * SINPOS_DECIMAL_BYTES];
    const size_t opening = n_braces(&writer->array, i);
    const size_t closing = n_braces(&writer->array, i + 1);
    const size_t dim = writer->array.shape[writer->array.n_dims - 1];
    size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                   i % dim % 8 != 0 ? " "
                                   : opening > 0    ? "\n    "
                                                    : "\n     ");
    memset(text + used, '{', opening);
    used += opening;
    used += c_constant(text + used, writer->array.element, data);
    memset(text + used, '}', closing);
    used += closing;
    text[used++] = ',';
    return text_put(writer, text, used, error);
}

static sinpos_file_status c_elements(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error)
{
    const size_t size = sinpos_element_bytes(writer->array.element);
    const char *p = data;
    sinpos_file_status status = SINPOS_FILE_OK;
    for (size_t i = 0; i < n && status == SINPOS_FILE_OK; i++, p += size)
        status = c_element(writer, writer->elements_done + i, p, error);
    return status;
}

static sinpos_file_status c_end(struct sinpos_writer *writer, sinpos_file_error *error)
{
    static const char tail[] = "\n};\n\n#endif\n";
    const sinpos_file_status status = text_put(writer, tail, sizeof tail - 1, error);
    return status == SINPOS_FILE_OK ? text_flush(writer, error) : status;
}

const struct format format_c_header = {
    .ending = ".h",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .check = c_check,
    .begin = c_begin,
    .elements = c_elements,
    .end = c_end,
};

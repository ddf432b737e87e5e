/*
 * gnuplot_child.c - the source goes to gnuplot's standard input, the picture comes from its standard output, and what it
 * complains about from its standard error, all three at once, so that none can block the others.
 *
 * Curves travel inside the source, as a data block, which gnuplot reads once per curve. The cells of a matrix, which it
 * reads once and whose data block would take it long, come from an unlinked file that it inherits.
 */
#define _GNU_SOURCE
#include "gnuplot_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure_csv.h"

enum { DATA_FD = 3, CELLS_MOST = 1 << 20 };

struct child {
    pid_t pid;
    int in, out, error; /* our ends; -1 once closed */
    int data;           /* file of the cells, or -1 */
};

static void close_end(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* In the child: between fork() and exec() only what is safe there. */
static void become_gnuplot(int in, int out, int error, int data, int report)
{
    char *const arguments[] = {(char[]){"gnuplot"}, (char[]){"--default-settings"}, (char[]){"-"}, NULL};
    signal(SIGPIPE, SIG_DFL);
    const bool is_ready = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
                          dup2(error, STDERR_FILENO) >= 0 && (data < 0 || dup2(data, DATA_FD) >= 0);
    if (is_ready)
        execvp(arguments[0], arguments);
    const int number = errno;
    _exit(write(report, &number, sizeof number) == (ssize_t)sizeof number ? 127 : 126);
}

/* Pipes whose ends lie above the descriptors that the child is given, and are not inherited. */
static bool make_pipe(int ends[2])
{
    int low[2];
    if (pipe(low) != 0)
        return false;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, DATA_FD + 1);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, DATA_FD + 1);
    close(low[0]);
    close(low[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Starts the child; returns 0 or an errno. */
static int start(struct child *child)
{
    int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}; /* in, out, error, report of exec() */
    int number = 0;
    for (size_t i = 0; i < 4 && number == 0; i++)
        number = make_pipe(pipes[i]) ? 0 : errno;
    child->pid = number == 0 ? fork() : -1;
    if (child->pid == 0)
        become_gnuplot(pipes[0][0], pipes[1][1], pipes[2][1], child->data, pipes[3][1]);
    number = number == 0 && child->pid < 0 ? errno : number;
    close_end(&pipes[0][0]);
    close_end(&pipes[1][1]);
    close_end(&pipes[2][1]);
    close_end(&pipes[3][1]);
    if (child->pid > 0 && read(pipes[3][0], &number, sizeof number) != (ssize_t)sizeof number)
        number = 0;
    close_end(&pipes[3][0]);
    child->in = pipes[0][1];
    child->out = pipes[1][0];
    child->error = pipes[2][0];
    return number;
}

/* What is ready in the pipe; closes it at its end. */
static void take(int *fd, struct text_buffer *into)
{
    char piece[1 << 16];
    const ssize_t n = read(*fd, piece, sizeof piece);
    if (n > 0)
        buffer_add(into, piece, (size_t)n);
    else if (n == 0 || errno != EINTR)
        close_end(fd);
}

static void give(int *fd, const struct text_buffer *source, size_t *done)
{
    const ssize_t n = write(*fd, source->bytes + *done, source->n - *done);
    *done += n > 0 ? (size_t)n : 0;
    if (*done == source->n || (n < 0 && errno != EINTR && errno != EAGAIN))
        close_end(fd);
}

static void talk(struct child *child, const struct text_buffer *source, struct text_buffer *picture,
                 struct text_buffer *complaint)
{
    size_t done = 0;
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    while (child->in >= 0 || child->out >= 0 || child->error >= 0) {
        struct pollfd ends[3] = {{child->in, POLLOUT, 0}, {child->out, POLLIN, 0}, {child->error, POLLIN, 0}};
        if (poll(ends, 3, -1) < 0 && errno != EINTR)
            break;
        if (ends[0].revents != 0)
            give(&child->in, source, &done);
        if (ends[1].revents != 0)
            take(&child->out, picture);
        if (ends[2].revents != 0)
            take(&child->error, complaint);
    }
    close_end(&child->in);
    close_end(&child->out);
    close_end(&child->error);
}

/* gnuplot's own words, without the lines that only point at the place. */
static void first_complaint(const struct text_buffer *complaint, char message[GNUPLOT_MESSAGE])
{
    const char *line = complaint->bytes == NULL ? "" : complaint->bytes;
    snprintf(message, GNUPLOT_MESSAGE, "failed and did not say why");
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        const size_t blanks = strspn(line, " \t^");
        if (blanks < length && strncmp(line, "gnuplot>", 8) != 0) {
            snprintf(message, GNUPLOT_MESSAGE, "%.*s", (int)(length - blanks > 250 ? 250 : length - blanks),
                     line + blanks);
            return;
        }
        line += length + (line[length] == '\n');
    }
}

static enum gnuplot_status finish(const struct child *child, const struct text_buffer *picture,
                                  const struct text_buffer *complaint, char message[GNUPLOT_MESSAGE])
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (picture->is_broken || complaint->is_broken)
        return GNUPLOT_MEMORY;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture->n == 0) {
        first_complaint(complaint, message);
        return GNUPLOT_FAILED;
    }
    return GNUPLOT_OK;
}

static enum gnuplot_status run(struct text_buffer *picture, const struct text_buffer *source, int data,
                               char message[GNUPLOT_MESSAGE])
{
    struct child child = {.data = data};
    RELEASED_BY(buffer_free) struct text_buffer complaint = {.bytes = NULL};
    const int number = start(&child);
    if (number != 0) {
        close_end(&child.in);
        close_end(&child.out);
        close_end(&child.error);
        if (child.pid > 0)
            waitpid(child.pid, NULL, 0);
        snprintf(message, GNUPLOT_MESSAGE, "cannot be started: %s", strerror(number));
        return number == ENOENT ? GNUPLOT_MISSING : GNUPLOT_SYSTEM;
    }
    talk(&child, source, picture, &complaint);
    return finish(&child, picture, &complaint, message);
}

/* The numbers in a file without a name; -1 where the system refuses. */
static int data_file(const struct text_buffer *numbers)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return -1;
    const bool is_good = fwrite(numbers->bytes, 1, numbers->n, file) == numbers->n && fflush(file) == 0;
    int fd = is_good ? fcntl(fileno(file), F_DUPFD_CLOEXEC, DATA_FD + 1) : -1;
    int number = errno;
    fclose(file);
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0) {
        number = errno;
        close_end(&fd);
    }
    errno = number;
    return fd;
}

/*
 * Viewers blur the cells of a small image that they enlarge, as .svg has it. So that they have less to enlarge, each cell
 * is repeated: the blur is then a small part of a cell.
 */
static sinpos_status enlarge(struct figure *large, const struct figure *figure, size_t times)
{
    const size_t n_columns = figure->n_columns * times;
    const sinpos_status status = figure_matrix(large, figure->n_rows * times, n_columns);
    for (size_t i = 0; status == SINPOS_OK && i < large->n_rows; i++) {
        const double part = ((double)(i % times) + 0.5) / (double)times - 0.5;
        large->row_at[i] = figure->row_at[i / times] + part * figure_cell_height(figure);
        for (size_t j = 0; j < n_columns; j++)
            large->cells[i * n_columns + j] = figure->cells[i / times * figure->n_columns + j / times];
    }
    for (size_t j = 0; status == SINPOS_OK && j < n_columns; j++) {
        const double part = ((double)(j % times) + 0.5) / (double)times - 0.5;
        large->column_at[j] = figure->column_at[j / times] + part * figure_cell_width(figure);
    }
    return status;
}

static size_t how_much_larger(const struct figure *figure, const struct picture *picture)
{
    size_t times = 1;
    while (picture->format == PICTURE_SVG && times < 8 &&
           figure->n_rows * figure->n_columns <= CELLS_MOST / (times + 1) / (times + 1))
        times++;
    return times;
}

/* The numbers of a matrix, as the picture needs them. */
static void matrix_numbers(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    RELEASED_BY(figure_free) struct figure large = {0};
    const size_t times = how_much_larger(figure, picture);
    if (times == 1) {
        figure_csv(out, figure, "", false);
        return;
    }
    if (enlarge(&large, figure, times) != SINPOS_OK) {
        out->is_broken = true;
        return;
    }
    figure_csv(out, &large, "", false);
}

/* As many cells as the picture has room for; else it would draw some of them, in stripes. */
static sinpos_status fit_cells(struct figure *means, const struct figure *figure, const struct picture *picture)
{
    const double height = 0.75 * (double)picture->height, width = 0.8 * (double)picture->width;
    const double across = figure->is_square && height < width ? height : width;
    return figure_means(means, figure, figure_cells_to_draw(figure->n_rows, height, figure->rows_alternate),
                        figure_cells_to_draw(figure->n_columns, across, figure->columns_alternate));
}

/* ------------------------------------------------------------------------------------------ words in .svg */

static void add_xml(struct text_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *const escape = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        buffer_add(out, escape == NULL ? text : escape, escape == NULL ? 1 : strlen(escape));
    }
}

/* Copies up to the next element of that name, and passes over it; false where there is none. */
static bool skip_element(struct text_buffer *out, const char **rest, const char *name)
{
    char begin[16], end[16];
    snprintf(begin, sizeof begin, "<%s>", name);
    snprintf(end, sizeof end, "</%s>", name);
    const char *from = strstr(*rest, begin), *to = from == NULL ? NULL : strstr(from, end);
    if (to == NULL)
        return false;
    buffer_add(out, *rest, (size_t)(from - *rest));
    *rest = to + strlen(end);
    return true;
}

static void add_title(struct text_buffer *out, const char *text)
{
    buffer_text(out, "<title>");
    add_xml(out, text);
    buffer_text(out, "</title>");
}

/* gnuplot calls curves by number; their labels say more. */
static void name_curves(struct text_buffer *out, const char *rest, const struct figure *figure)
{
    char begin[64] = "<title>";
    const size_t used = strlen(begin);
    figure_text(begin + used, sizeof begin - used, "%s_plot_", figure->name);
    for (char *c = begin; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    for (const char *at = strstr(rest, begin); at != NULL; at = strstr(rest, begin)) {
        const unsigned long number = strtoul(at + strlen(begin), NULL, 10);
        buffer_add(out, rest, (size_t)(at - rest));
        rest = at;
        if (!skip_element(out, &rest, "title"))
            break;
        if (number >= 1 && number <= figure->n_series && figure->series[number - 1].label[0] != '\0')
            add_title(out, figure->series[number - 1].label);
    }
    buffer_text(out, rest);
}

/* The figure's title and subtitle in place of gnuplot's. */
static void set_svg_words(struct text_buffer *picture, const struct figure *figure)
{
    struct text_buffer out = {.bytes = NULL};
    const char *rest = buffer_string(picture);
    if (!skip_element(&out, &rest, "title"))
        return;
    add_title(&out, figure->title);
    if (skip_element(&out, &rest, "desc")) {
        buffer_text(&out, "<desc>");
        add_xml(&out, figure->subtitle);
        buffer_text(&out, "</desc>");
    }
    name_curves(&out, rest, figure);
    out.is_broken = out.is_broken || picture->is_broken;
    buffer_free(picture);
    *picture = out;
}

static enum gnuplot_status draw(struct text_buffer *out, const struct figure *figure, const struct picture *picture,
                                char message[GNUPLOT_MESSAGE])
{
    RELEASED_BY(buffer_free) struct text_buffer numbers = {.bytes = NULL}, source = {.bytes = NULL};
    const bool is_matrix = figure->kind == FIGURE_MATRIX;
    int data = -1;
    enum gnuplot_status status = GNUPLOT_OK;
    message[0] = '\0';
    if (is_matrix) {
        matrix_numbers(&numbers, figure, picture);
        buffer_format(&source, "data = '<&%d'\n", DATA_FD);
        data = numbers.is_broken ? -1 : data_file(&numbers);
        if (data < 0) {
            status = numbers.is_broken ? GNUPLOT_MEMORY : GNUPLOT_SYSTEM;
            snprintf(message, GNUPLOT_MESSAGE, "no temporary file: %s", strerror(errno));
        }
    } else {
        script_numbers(&source, figure, "");
        buffer_text(&source, "data = '$numbers'\n");
    }
    script_terminal(&source, figure, picture);
    script_drawing(&source, figure, picture);
    if (status == GNUPLOT_OK)
        status = source.is_broken || numbers.is_broken ? GNUPLOT_MEMORY : run(out, &source, data, message);
    close_end(&data);
    if (status == GNUPLOT_OK && picture->format == PICTURE_SVG)
        set_svg_words(out, figure);
    return out->is_broken ? GNUPLOT_MEMORY : status;
}

enum gnuplot_status gnuplot_draw(struct text_buffer *out, const struct figure *figure, const struct picture *picture,
                                 char message[GNUPLOT_MESSAGE])
{
    RELEASED_BY(figure_free) struct figure means = {0};
    if (figure->kind == FIGURE_LINES)
        return draw(out, figure, picture, message);
    message[0] = '\0';
    if (fit_cells(&means, figure, picture) != SINPOS_OK)
        return GNUPLOT_MEMORY;
    return draw(out, &means, picture, message);
}

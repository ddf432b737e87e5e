#define _GNU_SOURCE
#include "loopback_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "error_line.h"

enum { WAITING = 16, REQUEST_BYTES = 8192, PATIENCE_S = 5 };

int loopback_listen(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) != 0 || listen(fd, WAITING) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        fail_errno("127.0.0.1", errno, "write the page with -o FILE, and open that");
    *port = ntohs(address.sin_port);
    return fd;
}

/* False where the browser went away. */
static bool send_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = send(fd, bytes, n, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* The head of a request, up to the empty line; false where it does not come or is too long. */
static bool take_request(int fd, char request[REQUEST_BYTES])
{
    size_t n = 0;
    while (n < REQUEST_BYTES - 1) {
        const ssize_t some = recv(fd, request + n, REQUEST_BYTES - 1 - n, 0);
        if (some == 0 || (some < 0 && errno != EINTR))
            return false;
        n += some > 0 ? (size_t)some : 0;
        request[n] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL)
            return true;
    }
    return false;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void send_head(int fd, const char *status, const char *type, size_t n_bytes)
{
    char head[400];
    const int n =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                 "Connection: close\r\n\r\n",
                 status, type, n_bytes);
    (void)send_all(fd, head, (size_t)n);
}

static void refuse(int fd, const char *status)
{
    send_head(fd, status, "text/plain", strlen(status) + 1);
    (void)(send_all(fd, status, strlen(status)) && send_all(fd, "\n", 1));
}

static void answer(int fd, const char *page, size_t n_bytes)
{
    char request[REQUEST_BYTES];
    if (!take_request(fd, request)) {
        refuse(fd, "400 Bad Request");
        return;
    }
    const bool is_head = begins(request, "HEAD ");
    const char *path = request + (is_head ? 5 : 4);
    if (!is_head && !begins(request, "GET ")) {
        refuse(fd, "405 Method Not Allowed");
    } else if (!begins(path, "/ ") && !begins(path, "/sinpos.html ")) {
        refuse(fd, "404 Not Found");
    } else {
        send_head(fd, "200 OK", "text/html", n_bytes);
        if (!is_head)
            (void)send_all(fd, page, n_bytes);
    }
}

noreturn void loopback_serve(int listener, const char *page, size_t n_bytes)
{
    for (;;) {
        const struct timeval patience = {.tv_sec = PATIENCE_S};
        const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
            fail_errno("127.0.0.1", errno, "start it again");
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        answer(fd, page, n_bytes);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
}

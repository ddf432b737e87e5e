/* loopback_server.h - one page over HTTP, for browsers on this machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

/* A socket that listens on 127.0.0.1, at a port that the system chooses; fails where there is none. */
int loopback_listen(uint16_t *port);
/* Answers requests one after the other until a signal ends the program. */
noreturn void loopback_serve(int listener, const char *page, size_t n_bytes);

/* A server that answers each request after a fixed time: it shows the effect of latency without a network.
 *
 * usage: delayd PORT:MILLISECONDS...
 *   Listens on 127.0.0.1 only, at each PORT with its own delay. A conditional request gets a 304, any other
 *   a 200 with a small body. HTTP/1.1 with connections kept; no pipelining. Ends with its standard input. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* One for each port, each connection and each waiting reply. */
struct listener {
  int socket;
  double delay;
};

struct connection {
  int socket;
  double delay;
  size_t filled;
  char request[8192];
};

struct reply {
  double due;
  struct connection *to;
  int is_unchanged;
};

/* A heap with the earliest reply first. */
static struct reply *heap;
static size_t waiting, capacity;

static void swap(size_t a, size_t b) {
  struct reply r = heap[a];
  heap[a] = heap[b];
  heap[b] = r;
}

static void push(struct reply reply) {
  if (waiting == capacity) heap = realloc(heap, (capacity = capacity ? capacity * 2 : 1024) * sizeof *heap);
  size_t i = waiting++;
  heap[i] = reply;
  for (; i && heap[(i - 1) / 2].due > heap[i].due; i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static struct reply pop(void) {
  struct reply first = heap[0];
  heap[0] = heap[--waiting];
  for (size_t i = 0;;) {
    size_t least = i, child = 2 * i + 1;
    for (size_t k = child; k < child + 2 && k < waiting; k++)
      if (heap[k].due < heap[least].due) least = k;
    if (least == i) return first;
    swap(i, least);
    i = least;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static const char unchanged[] =
    "HTTP/1.1 304 Not Modified\r\nServer: delayd\r\nETag: \"6553f100-1000\"\r\n"
    "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n\r\n";
static const char changed[] =
    "HTTP/1.1 200 OK\r\nServer: delayd\r\nETag: \"6553f100-1000\"\r\n"
    "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\nContent-Length: 16\r\n\r\n0123456789abcde\n";

static void answer_due(void) {
  double t = now();
  while (waiting && heap[0].due <= t) {
    struct reply reply = pop();
    const char *text = reply.is_unchanged ? unchanged : changed;
    /* A client that has gone is noticed when its connection is read. */
    if (send(reply.to->socket, text, strlen(text), MSG_NOSIGNAL) < 0) continue;
  }
}

static void set_timer(int timer) {
  struct itimerspec when = {0};
  if (waiting) {
    double left = heap[0].due - now();
    if (left < 0.001) left = 0.001;
    when.it_value.tv_sec = (long)(left / 1e3);
    when.it_value.tv_nsec = (long)((left - when.it_value.tv_sec * 1e3) * 1e6);
  }
  timerfd_settime(timer, 0, &when, NULL);
}

static void watch(int epoll, int socket, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
  epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

static void welcome(int epoll, struct listener *listener) {
  int socket, yes = 1;
  while ((socket = accept4(listener->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct connection *connection = calloc(1, sizeof *connection);
    connection->socket = socket;
    connection->delay = listener->delay;
    watch(epoll, socket, connection);
  }
}

static void hear(struct connection *c) {
  ssize_t count = read(c->socket, c->request + c->filled, sizeof c->request - 1 - c->filled);
  if (count <= 0) {
    /* Never freed: a reply to it may still wait. */
    close(c->socket);
    c->socket = -1;
    return;
  }
  c->filled += count;
  c->request[c->filled] = 0;
  if (!strstr(c->request, "\r\n\r\n")) return;
  int is_unchanged = strcasestr(c->request, "\r\nif-none-match:") || strcasestr(c->request, "\r\nif-modified-since:");
  c->filled = 0;
  push((struct reply){now() + c->delay, c, is_unchanged});
}

static int listen_at(int port) {
  int yes = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(s, (void *)&address, sizeof address) < 0 || listen(s, 4096) < 0) {
    perror("delayd");
    exit(1);
  }
  return s;
}

int main(int argc, char **argv) {
  int epoll = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  int count = argc - 1, input = 0;
  struct listener *listeners = calloc(count, sizeof *listeners);
  for (int i = 0; i < count; i++) {
    char *colon = strchr(argv[i + 1], ':');
    if (!colon) return 64;
    listeners[i] = (struct listener){listen_at(atoi(argv[i + 1])), atof(colon + 1)};
    watch(epoll, listeners[i].socket, &listeners[i]);
  }
  watch(epoll, timer, &timer);
  watch(epoll, 0, &input);
  puts("ready");
  fflush(stdout);
  for (;;) {
    answer_due();
    set_timer(timer);
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      void *what = events[i].data.ptr;
      unsigned long long ticks;
      if (what == &input) return 0;
      if (what == &timer) {
        if (read(timer, &ticks, sizeof ticks) < 0) continue;
      } else if (what >= (void *)listeners && what < (void *)(listeners + count)) {
        welcome(epoll, what);
      } else {
        hear(what);
      }
    }
  }
}

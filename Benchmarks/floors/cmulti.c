/* What libcurl itself can do with many small files: one thread, one multi handle, perform and poll.
 *
 * usage: cmulti [-c N] [-e ETAG] [-o FOLDER] URL COUNT
 *   GETs URL/f000000 to URL/f(COUNT-1)
 *   -c N        transfers in flight (16)
 *   -e ETAG     sends If-None-Match
 *   -o FOLDER   writes each body to a temporary name in FOLDER, then renames it
 * Succeeds where every reply was a 200, or with -e a 304. */
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slot {
  CURL *easy;
  long number;
  int file;
};

static const char *base, *folder;
static long total, next_number, done, wrong;
static long wanted = 200;
static CURLM *multi;

static void temporary(char *text, size_t size, long number) { snprintf(text, size, "%s/f%06ld.part", folder, number); }

static size_t take(char *bytes, size_t size, size_t count, void *user) {
  struct slot *slot = user;
  size_t length = size * count;
  if (!folder) return length;
  if (slot->file < 0) {
    char name[4096];
    temporary(name, sizeof name, slot->number);
    slot->file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (slot->file < 0) return 0;
  }
  return write(slot->file, bytes, length) == (ssize_t)length ? length : 0;
}

static void begin(struct slot *slot) {
  if (next_number == total) return;
  char url[4096];
  slot->number = next_number++;
  slot->file = -1;
  snprintf(url, sizeof url, "%s/f%06ld", base, slot->number);
  curl_easy_setopt(slot->easy, CURLOPT_URL, url);
  curl_multi_add_handle(multi, slot->easy);
}

static void end(struct slot *slot, CURLcode code) {
  long status = 0;
  curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
  if (code != CURLE_OK || status != wanted) wrong++;
  if (slot->file >= 0) {
    char from[4096], to[4096];
    close(slot->file);
    temporary(from, sizeof from, slot->number);
    snprintf(to, sizeof to, "%s/f%06ld", folder, slot->number);
    if (rename(from, to) != 0) wrong++;
  }
  curl_multi_remove_handle(multi, slot->easy);
  done++;
  begin(slot);
}

static void reap(void) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(multi, &left))) {
    struct slot *slot;
    if (message->msg != CURLMSG_DONE) continue;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
    end(slot, message->data.result);
  }
}

static void set_up(struct slot *slot, struct curl_slist *headers) {
  slot->easy = curl_easy_init();
  curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(slot->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot);
  curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
  if (headers) curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, headers);
}

int main(int argc, char **argv) {
  int flight = 16, option;
  struct curl_slist *headers = NULL;
  while ((option = getopt(argc, argv, "c:e:o:")) != -1) {
    char line[512];
    switch (option) {
      case 'c': flight = atoi(optarg); break;
      case 'e':
        snprintf(line, sizeof line, "If-None-Match: %s", optarg);
        headers = curl_slist_append(headers, line);
        wanted = 304;
        break;
      case 'o': folder = optarg; break;
      default: return 64;
    }
  }
  if (argc - optind != 2 || flight < 1) return 64;
  base = argv[optind];
  total = atol(argv[optind + 1]);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)flight);
  struct slot *slots = calloc(flight, sizeof *slots);
  for (int i = 0; i < flight; i++) {
    set_up(&slots[i], headers);
    begin(&slots[i]);
  }
  while (done < total) {
    int running;
    curl_multi_perform(multi, &running);
    reap();
    if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  if (wrong) fprintf(stderr, "cmulti: %ld of %ld went wrong\n", wrong, total);
  return wrong != 0;
}

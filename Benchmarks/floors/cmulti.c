/* The speed of libcurl alone with many small files: one thread, one multi handle, perform and poll.
 *
 * usage: cmulti [-c N] [-e ETAG] [-o FOLDER [-s DIGESTS [-t N]]] URL COUNT
 *   GETs URL/f000000 to URL/f(COUNT-1)
 *   -c N        transfers in flight (16)
 *   -e ETAG     sends If-None-Match
 *   -o FOLDER   writes each body to a temporary name in FOLDER, then renames it
 *   -s DIGESTS  if it was compiled with -DHAVE_CRYPTO: keeps syncmake's promises in the simplest way. The sha256 of
 *               each body is compared with its line in the file DIGESTS. Groups of 256 bodies are written, their
 *               names are noted in FOLDER.log, then they are synced, renamed, synced and noted once more.
 *   -t N        a second thread does the work after the digest, in groups of N, while the first fetches the next one
 * Succeeds if every reply was a 200, or with -e a 304, and with -s each body was correct. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_CRYPTO
#include <openssl/evp.h>
#endif

enum { most_held = 1024, hex = 64 };

struct slot {
  CURL *easy;
  long number;
  int file;
  /* With -s the body itself. */
  char *body;
  size_t length;
};

static const char *base, *folder;
static long total, next_number, done;
static atomic_long wrong;
static long wanted = 200;
static CURLM *multi;
/* With -s: a digest for each number, the bodies of the next group, and the group that is being published. */
static char (*digests)[hex + 1];
static struct slot held[most_held], committed[most_held];
static int group = 256, held_count, committed_count, folder_file, log_file;
static int has_committer, is_over;
static pthread_t committer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void temporary(char *text, size_t size, long number) { snprintf(text, size, "%s/f%06ld.part", folder, number); }

static int create(long number) {
  char name[4096];
  temporary(name, sizeof name, number);
  return open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void put_in_place(long number) {
  char from[4096], to[4096];
  temporary(from, sizeof from, number);
  snprintf(to, sizeof to, "%s/f%06ld", folder, number);
  if (rename(from, to) != 0) wrong++;
}

static size_t take(char *bytes, size_t size, size_t count, void *user) {
  struct slot *slot = user;
  size_t length = size * count;
  if (!folder) return length;
  if (digests) {
    slot->body = realloc(slot->body, slot->length + length);
    memcpy(slot->body + slot->length, bytes, length);
    slot->length += length;
    return length;
  }
  if (slot->file < 0) slot->file = create(slot->number);
  if (slot->file < 0) return 0;
  return write(slot->file, bytes, length) == (ssize_t)length ? length : 0;
}

static void note(const char *what) {
  char text[most_held * 128];
  int length = 0;
  for (int i = 0; i < committed_count; i++)
    length += snprintf(text + length, sizeof text - length, "%s f%06ld %s %zu\n", what, committed[i].number,
                       digests[committed[i].number], committed[i].length);
  if (write(log_file, text, length) != length || fdatasync(log_file) != 0) wrong++;
}

static void commit(void) {
  for (int i = 0; i < committed_count; i++) {
    int file = create(committed[i].number);
    if (write(file, committed[i].body, committed[i].length) != (ssize_t)committed[i].length) wrong++;
    close(file);
    free(committed[i].body);
  }
  note("about to be");
  if (syncfs(folder_file) != 0) wrong++;
  for (int i = 0; i < committed_count; i++) put_in_place(committed[i].number);
  if (syncfs(folder_file) != 0) wrong++;
  note("is");
}

static void *commit_each(void *nothing) {
  pthread_mutex_lock(&lock);
  while (committed_count > 0 || !is_over) {
    if (committed_count == 0) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    pthread_mutex_unlock(&lock);
    commit();
    pthread_mutex_lock(&lock);
    committed_count = 0;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  return nothing;
}

/* Passes on the held group once the previous group is published. */
static void hand_on(int last) {
  pthread_mutex_lock(&lock);
  while (committed_count > 0) pthread_cond_wait(&changed, &lock);
  memcpy(committed, held, sizeof *held * held_count);
  committed_count = held_count;
  held_count = 0;
  is_over = last;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  if (!has_committer) {
    commit();
    committed_count = 0;
  } else if (last) {
    pthread_join(committer, NULL);
  }
}

static void verify(struct slot *slot) {
#ifdef HAVE_CRYPTO
  unsigned char sum[hex / 2];
  char text[hex + 1];
  EVP_Digest(slot->body, slot->length, sum, NULL, EVP_sha256(), NULL);
  for (int i = 0; i < hex / 2; i++) snprintf(text + 2 * i, 3, "%02x", sum[i]);
  if (strcmp(text, digests[slot->number]) != 0) wrong++;
#endif
  held[held_count++] = *slot;
  slot->body = NULL;
  slot->length = 0;
  if (held_count == group) hand_on(0);
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
  if (digests) verify(slot);
  if (slot->file >= 0) {
    close(slot->file);
    put_in_place(slot->number);
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

/* Whether everything that -s needs is there. */
static int prepare_safety(const char *list) {
  char name[4096];
  FILE *file = fopen(list, "r");
  if (!file || !folder) return 0;
  digests = calloc(total, sizeof *digests);
  for (long i = 0; i < total; i++)
    if (fscanf(file, "%64s", digests[i]) != 1) return 0;
  fclose(file);
  snprintf(name, sizeof name, "%s.log", folder);
  log_file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  folder_file = open(folder, O_RDONLY | O_CLOEXEC);
  return log_file >= 0 && folder_file >= 0;
}

int main(int argc, char **argv) {
  int flight = 16, option, wants_committer = 0;
  struct curl_slist *headers = NULL;
  const char *list = NULL;
  while ((option = getopt(argc, argv, "c:e:o:s:t:")) != -1) {
    char line[512];
    switch (option) {
      case 'c': flight = atoi(optarg); break;
      case 'e':
        snprintf(line, sizeof line, "If-None-Match: %s", optarg);
        headers = curl_slist_append(headers, line);
        wanted = 304;
        break;
      case 'o': folder = optarg; break;
      case 's': list = optarg; break;
      case 't':
        wants_committer = 1;
        group = atoi(optarg);
        break;
      default: return 64;
    }
  }
  if (argc - optind != 2 || flight < 1 || group < 1 || group > most_held) return 64;
  base = argv[optind];
  total = atol(argv[optind + 1]);
#ifndef HAVE_CRYPTO
  if (list) return 64;
#endif
  if (list && !prepare_safety(list)) return 66;
  if (list && wants_committer) has_committer = pthread_create(&committer, NULL, commit_each, NULL) == 0;
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
  if (digests) hand_on(1);
  if (wrong) fprintf(stderr, "cmulti: %ld of %ld went wrong\n", (long)wrong, total);
  return wrong != 0;
}

#include "CCurlShim.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// The options that some supported headers do not declare; libcurl's numbers never change.
#define OPTION_PROTOCOLS 181
#define OPTION_PREREQFUNCTION 20312
#define OPTION_PREREQDATA 10313
#define OPTION_PROTOCOLS_STR 10318
#define OPTION_QUICK_EXIT 322
#define OPTION_AWS_SIGV4 10305
#define PROTOCOL_HTTP_AND_HTTPS 3L

static struct {
  CURLcode (*global_init)(long);
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *);
  void *(*easy_duphandle)(void *);
  void (*easy_reset)(void *);
  CURLcode (*easy_pause)(void *, int);
  CURLcode (*easy_setopt)(void *, CURLoption, ...);
  CURLcode (*easy_getinfo)(void *, CURLINFO, ...);
  const char *(*easy_strerror)(CURLcode);
  void *(*multi_init)(void);
  CURLMcode (*multi_cleanup)(void *);
  CURLMcode (*multi_add_handle)(void *, void *);
  CURLMcode (*multi_remove_handle)(void *, void *);
  CURLMcode (*multi_perform)(void *, int *);
  CURLMcode (*multi_poll)(void *, struct curl_waitfd *, unsigned int, int, int *);
  CURLMcode (*multi_wakeup)(void *);
  CURLMcode (*multi_setopt)(void *, CURLMoption, ...);
  CURLMsg *(*multi_info_read)(void *, int *);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
  void *(*url)(void);
  void (*url_cleanup)(void *);
  CURLUcode (*url_set)(void *, CURLUPart, const char *, unsigned int);
  CURLUcode (*url_get)(const void *, CURLUPart, char **, unsigned int);
  void (*free_text)(void *);
  curl_version_info_data *(*version_info)(CURLversion);
} api;

#ifdef __APPLE__
const char *const curlshim_file = "libcurl.4.dylib";
#else
const char *const curlshim_file = "libcurl.so.4";
#endif

const char *const curlshim_old = "it is too old";

static void *open_library(void) {
#ifdef __APPLE__
  // Without a folder, macOS would also look in the current one, where outputs are.
  static const char *const names[] = {
      "/opt/homebrew/opt/curl/lib/libcurl.4.dylib", "/usr/local/opt/curl/lib/libcurl.4.dylib",
      "/usr/lib/libcurl.4.dylib"};
#else
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

const char *curlshim_load(void) {
  void *library = open_library();
  if (!library) return curlshim_file;

  const struct {
    void **slot;
    const char *name;
  } wanted[] = {
      {(void **)&api.global_init, "curl_global_init"},
      {(void **)&api.easy_init, "curl_easy_init"},
      {(void **)&api.easy_cleanup, "curl_easy_cleanup"},
      {(void **)&api.easy_duphandle, "curl_easy_duphandle"},
      {(void **)&api.easy_reset, "curl_easy_reset"},
      {(void **)&api.easy_pause, "curl_easy_pause"},
      {(void **)&api.easy_setopt, "curl_easy_setopt"},
      {(void **)&api.easy_getinfo, "curl_easy_getinfo"},
      {(void **)&api.easy_strerror, "curl_easy_strerror"},
      {(void **)&api.multi_init, "curl_multi_init"},
      {(void **)&api.multi_cleanup, "curl_multi_cleanup"},
      {(void **)&api.multi_add_handle, "curl_multi_add_handle"},
      {(void **)&api.multi_remove_handle, "curl_multi_remove_handle"},
      {(void **)&api.multi_perform, "curl_multi_perform"},
      {(void **)&api.multi_poll, "curl_multi_poll"},
      {(void **)&api.multi_wakeup, "curl_multi_wakeup"},
      {(void **)&api.multi_setopt, "curl_multi_setopt"},
      {(void **)&api.multi_info_read, "curl_multi_info_read"},
      {(void **)&api.slist_append, "curl_slist_append"},
      {(void **)&api.slist_free_all, "curl_slist_free_all"},
      {(void **)&api.url, "curl_url"},
      {(void **)&api.url_cleanup, "curl_url_cleanup"},
      {(void **)&api.url_set, "curl_url_set"},
      {(void **)&api.url_get, "curl_url_get"},
      {(void **)&api.free_text, "curl_free"},
      {(void **)&api.version_info, "curl_version_info"},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    *wanted[i].slot = dlsym(library, wanted[i].name);
    if (!*wanted[i].slot) return curlshim_old;
  }
  if (api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "the library libcurl does not start";
  return NULL;
}

int curlshim_serves_once(void) {
  unsigned int version = api.version_info(CURLVERSION_FIRST)->version_num;
  return version >= 0x075300 && version < 0x080101;
}

void *curlshim_easy_new(void) { return api.easy_init(); }
void curlshim_easy_free(void *easy) { api.easy_cleanup(easy); }
void *curlshim_easy_copy(void *easy) { return api.easy_duphandle(easy); }
void curlshim_easy_reset(void *easy) { api.easy_reset(easy); }
CURLcode curlshim_easy_pause(void *easy, int bitmask) { return api.easy_pause(easy, bitmask); }
const char *curlshim_easy_words(CURLcode code) { return api.easy_strerror(code); }

CURLcode curlshim_set_long(void *easy, CURLoption option, long value) {
  return api.easy_setopt(easy, option, value);
}
CURLcode curlshim_set_text(void *easy, CURLoption option, const char *value) {
  return api.easy_setopt(easy, option, value);
}
CURLcode curlshim_set_pointer(void *easy, CURLoption option, void *value) {
  return api.easy_setopt(easy, option, value);
}
CURLcode curlshim_set_list(void *easy, CURLoption option, struct curl_slist *value) {
  return api.easy_setopt(easy, option, value);
}
CURLcode curlshim_set_data_callback(void *easy, CURLoption option, curlshim_data_callback value) {
  return api.easy_setopt(easy, option, value);
}
CURLcode curlshim_get_long(void *easy, CURLINFO info, long *value) {
  return api.easy_getinfo(easy, info, value);
}
CURLcode curlshim_get_pointer(void *easy, CURLINFO info, void **value) {
  return api.easy_getinfo(easy, info, value);
}

CURLcode curlshim_set_request_callback(void *easy, curlshim_request_callback callback, void *user) {
  CURLcode result = api.easy_setopt(easy, (CURLoption)OPTION_PREREQDATA, user);
  return result ? result : api.easy_setopt(easy, (CURLoption)OPTION_PREREQFUNCTION, callback);
}

// libcurl's option has one pointer for its user, which is the judge's. Loops on several threads set the same function.
static _Atomic(curlshim_address_callback) judge_address;

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  uint8_t bytes[16];
  size_t count = 0;
  // What is behind `addr` is as long as its family needs.
  const char *whole = (const char *)&address->addr;
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    count = 4;
    memcpy(bytes, whole + offsetof(struct sockaddr_in, sin_addr), count);
  } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    count = 16;
    memcpy(bytes, whole + offsetof(struct sockaddr_in6, sin6_addr), count);
  }
  curlshim_address_callback judge = atomic_load_explicit(&judge_address, memory_order_relaxed);
  if (!judge(user, count ? bytes : NULL, count)) return CURL_SOCKET_BAD;
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t made = socket(address->family, address->socktype, address->protocol);
  if (made != CURL_SOCKET_BAD) (void)fcntl(made, F_SETFD, FD_CLOEXEC);
  return made;
#endif
}

void curlshim_set_address_callback(void *easy, curlshim_address_callback judge, void *user) {
  atomic_store_explicit(&judge_address, judge, memory_order_relaxed);
  (void)api.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, user);
  (void)api.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

CURLcode curlshim_set_web_only(void *easy) {
  // Since 7.85 protocols have names; the bits are for earlier versions.
  CURLcode result = api.easy_setopt(easy, (CURLoption)OPTION_PROTOCOLS_STR, "http,https");
  if (result == CURLE_OK) return result;
  return api.easy_setopt(easy, (CURLoption)OPTION_PROTOCOLS, PROTOCOL_HTTP_AND_HTTPS);
}

void curlshim_set_quick_exit(void *easy) {
  (void)api.easy_setopt(easy, (CURLoption)OPTION_QUICK_EXIT, 1L);
}

CURLcode curlshim_set_signing(void *easy, const char *scope) {
  return api.easy_setopt(easy, (CURLoption)OPTION_AWS_SIGV4, scope);
}

void *curlshim_multi_new(void) { return api.multi_init(); }
void curlshim_multi_free(void *multi) { (void)api.multi_cleanup(multi); }
CURLMcode curlshim_multi_add(void *multi, void *easy) { return api.multi_add_handle(multi, easy); }
CURLMcode curlshim_multi_remove(void *multi, void *easy) { return api.multi_remove_handle(multi, easy); }
CURLMcode curlshim_multi_perform(void *multi, int *running) { return api.multi_perform(multi, running); }
CURLMcode curlshim_multi_poll(void *multi, int milliseconds) {
  return api.multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode curlshim_multi_wakeup(void *multi) { return api.multi_wakeup(multi); }
CURLMcode curlshim_multi_set_long(void *multi, CURLMoption option, long value) {
  return api.multi_setopt(multi, option, value);
}

int curlshim_multi_next_done(void *multi, void **easy, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = api.multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *easy = message->easy_handle;
    *result = message->data.result;
    return 1;
  }
  return 0;
}

struct curl_slist *curlshim_list_append(struct curl_slist *list, const char *line) {
  return api.slist_append(list, line);
}
void curlshim_list_free(struct curl_slist *list) { api.slist_free_all(list); }

void *curlshim_url_new(void) { return api.url(); }
void curlshim_url_free(void *url) { api.url_cleanup(url); }
CURLUcode curlshim_url_set(void *url, CURLUPart part, const char *text, unsigned int flags) {
  return api.url_set(url, part, text, flags);
}
CURLUcode curlshim_url_get(void *url, CURLUPart part, char **text, unsigned int flags) {
  return api.url_get(url, part, text, flags);
}
void curlshim_text_free(char *text) { api.free_text(text); }

void curlshim_expect(const char *url) {
  static _Thread_local int is_set;
  if (is_set) return;
  const unsigned char *byte = (const unsigned char *)url;
  while (*byte && *byte < 0x80) byte++;
  if (!*byte) return;
  is_set = 1;
  // The last one is Darwin's.
  static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
  locale_t locale = (locale_t)0;
  for (size_t i = 0; i < sizeof names / sizeof *names && !locale; i++) {
    locale = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
  }
  if (locale) uselocale(locale);
}

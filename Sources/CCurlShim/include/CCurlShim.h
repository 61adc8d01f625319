#pragma once

// The functions of libcurl that Transfer uses, without a link-time reference: loading libcurl and its 30 libraries
// costs more than a whole run that needs no network. curlshim_load looks the functions up once; none of the others
// may be called before it has returned NULL.
//
// Handles are `void *` here, since their types in <curl/curl.h> differ between versions.

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

/// The name of libcurl's file.
extern const char *_Nonnull const curlshim_file;

/// What is wrong with a libcurl that lacks a function.
extern const char *_Nonnull const curlshim_old;

/// Loads libcurl and initialises it. Returns NULL, `curlshim_file` itself if there is no libcurl, `curlshim_old` itself, or
/// a text that names what else is wrong; none is ever freed. Must not be called twice or by two threads at once.
const char *_Nullable curlshim_load(void);

typedef size_t (*curlshim_data_callback)(
    char *_Nonnull bytes, size_t size, size_t count, void *_Nonnull user);

typedef int (*curlshim_request_callback)(
    void *_Nonnull user, char *_Nullable remote, char *_Nullable local, int remote_port, int local_port);

/// Judges the address of a socket that is to be opened: `count` bytes in the network's order, 4, 16, or 0 for an address
/// of another kind. Returns whether it may be connected to.
typedef int (*curlshim_address_callback)(void *_Nonnull user, const uint8_t *_Nullable bytes, size_t count);

/// Whether a handle must not serve a second transfer. From 7.83 to 8.1.0 a reply whose first header line begins with a
/// blank is appended to memory of the handle's last reply that was freed (curl's issue 11101).
int curlshim_serves_once(void);

void *_Nullable curlshim_easy_new(void);
/// A new handle with the same options; `NULL` if there is no memory.
void *_Nullable curlshim_easy_copy(void *_Nonnull easy);
void curlshim_easy_free(void *_Nonnull easy);
void curlshim_easy_reset(void *_Nonnull easy);
CURLcode curlshim_easy_pause(void *_Nonnull easy, int bitmask);
const char *_Nonnull curlshim_easy_words(CURLcode code);

// curl_easy_setopt and curl_easy_getinfo, once for each type of argument.
CURLcode curlshim_set_long(void *_Nonnull easy, CURLoption option, long value);
/// Call it before a URL is asked for, on the thread that asks: libcurl's library for names of hosts beyond ASCII reads
/// them in the thread's locale, which is made one of UTF-8 for the first such URL.
void curlshim_expect(const char *_Nonnull url);

CURLcode curlshim_set_text(void *_Nonnull easy, CURLoption option, const char *_Nullable value);
CURLcode curlshim_set_pointer(void *_Nonnull easy, CURLoption option, void *_Nullable value);
CURLcode curlshim_set_list(void *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable value);
CURLcode curlshim_set_data_callback(
    void *_Nonnull easy, CURLoption option, curlshim_data_callback _Nonnull value);
CURLcode curlshim_get_long(void *_Nonnull easy, CURLINFO info, long *_Nonnull value);
CURLcode curlshim_get_pointer(void *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value);

/// Sets the function that is called when a request is about to be sent over an established connection; it must return
/// 0. Fails with a libcurl before 7.80.
CURLcode curlshim_set_request_callback(
    void *_Nonnull easy, curlshim_request_callback _Nonnull callback, void *_Nonnull user);
/// Has `judge` asked before a socket is connected, so that no packet goes to an address that it refuses. The same function
/// for all handles.
void curlshim_set_address_callback(
    void *_Nonnull easy, curlshim_address_callback _Nonnull judge, void *_Nonnull user);
/// Restricts the handle to http and https, by the option that this libcurl has for it.
CURLcode curlshim_set_web_only(void *_Nonnull easy);
/// Allows the handle to be removed without waiting for a name lookup, if libcurl supports it (7.87).
void curlshim_set_quick_exit(void *_Nonnull easy);
/// Has requests signed with the handle's user and password, for a scope such as `aws:amz:eu-west-1:s3` (7.75); fails if
/// libcurl cannot sign.
CURLcode curlshim_set_signing(void *_Nonnull easy, const char *_Nonnull scope);

void *_Nullable curlshim_multi_new(void);
void curlshim_multi_free(void *_Nonnull multi);
CURLMcode curlshim_multi_add(void *_Nonnull multi, void *_Nonnull easy);
CURLMcode curlshim_multi_remove(void *_Nonnull multi, void *_Nonnull easy);
CURLMcode curlshim_multi_perform(void *_Nonnull multi, int *_Nonnull running);
CURLMcode curlshim_multi_poll(void *_Nonnull multi, int milliseconds);
CURLMcode curlshim_multi_wakeup(void *_Nonnull multi);
CURLMcode curlshim_multi_set_long(void *_Nonnull multi, CURLMoption option, long value);
/// Takes one finished transfer off the multi handle's list: 1, or 0 if there is none.
int curlshim_multi_next_done(
    void *_Nonnull multi, void *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

/// Appends `line` to the list; NULL, with an unchanged list, if there is no memory.
struct curl_slist *_Nullable curlshim_list_append(
    struct curl_slist *_Nullable list, const char *_Nonnull line);
void curlshim_list_free(struct curl_slist *_Nullable list);

void *_Nullable curlshim_url_new(void);
void curlshim_url_free(void *_Nonnull url);
CURLUcode curlshim_url_set(
    void *_Nonnull url, CURLUPart part, const char *_Nullable text, unsigned int flags);
CURLUcode curlshim_url_get(
    void *_Nonnull url, CURLUPart part, char *_Nullable *_Nonnull text, unsigned int flags);
/// Frees the text that curlshim_url_get returned.
void curlshim_text_free(char *_Nullable text);

#include "CExpatShim.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Declared here, since expat's headers need not be installed; these functions and numbers have not changed since 2.0.
typedef void (*start_element)(void *, const char *, const char **);
typedef void (*end_element)(void *, const char *);
typedef void (*character_data)(void *, const char *, int);
typedef void (*start_doctype)(void *, const char *, const char *, const char *, int);

struct memory_functions {
  void *(*take)(size_t);
  void *(*change)(void *, size_t);
  void (*give)(void *);
};

static struct {
  void *(*create)(const char *, const struct memory_functions *, const char *);
  void (*destroy)(void *);
  void (*set_user_data)(void *, void *);
  void (*set_elements)(void *, start_element, end_element);
  void (*set_text)(void *, character_data);
  void (*set_doctype)(void *, start_doctype);
  void (*set_triplets)(void *, int);
  int (*parse)(void *, const char *, int, int);
  int (*stop)(void *, unsigned char);
  int (*error_code)(void *);
  const char *(*error_words)(int);
  unsigned long (*line)(void *);
  long (*place)(void *);
} api;

int expatshim_load(void) {
#ifdef __APPLE__
  void *library = dlopen("/usr/lib/libexpat.1.dylib", RTLD_LAZY | RTLD_LOCAL);
#else
  void *library = dlopen("libexpat.so.1", RTLD_LAZY | RTLD_LOCAL);
#endif
  if (!library) return 0;
  const struct {
    void **slot;
    const char *name;
  } wanted[] = {
      {(void **)&api.create, "XML_ParserCreate_MM"},
      {(void **)&api.destroy, "XML_ParserFree"},
      {(void **)&api.set_user_data, "XML_SetUserData"},
      {(void **)&api.set_elements, "XML_SetElementHandler"},
      {(void **)&api.set_text, "XML_SetCharacterDataHandler"},
      {(void **)&api.set_doctype, "XML_SetStartDoctypeDeclHandler"},
      {(void **)&api.set_triplets, "XML_SetReturnNSTriplet"},
      {(void **)&api.parse, "XML_Parse"},
      {(void **)&api.stop, "XML_StopParser"},
      {(void **)&api.error_code, "XML_GetErrorCode"},
      {(void **)&api.error_words, "XML_ErrorString"},
      {(void **)&api.line, "XML_GetCurrentLineNumber"},
      {(void **)&api.place, "XML_GetCurrentByteIndex"},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    *wanted[i].slot = dlsym(library, wanted[i].name);
    if (!*wanted[i].slot) return 0;
  }
  return 1;
}

// A document of many names, or of many open elements, makes expat take many times the document's size. So it gets a
// limit. Its memory functions have no context, but one thread reads a document from its beginning to its end.
static _Thread_local size_t memory_left;

enum { header = 16 };

static void *take(size_t size) {
  if (size > SIZE_MAX - header || size + header > memory_left) return NULL;
  char *block = malloc(size + header);
  if (!block) return NULL;
  memory_left -= size + header;
  memcpy(block, &size, sizeof size);
  return block + header;
}

static void give(void *memory) {
  if (!memory) return;
  char *block = (char *)memory - header;
  size_t size;
  memcpy(&size, block, sizeof size);
  memory_left += size + header;
  free(block);
}

static void *change(void *memory, size_t size) {
  if (!memory) return take(size);
  char *block = (char *)memory - header;
  size_t before;
  memcpy(&before, block, sizeof before);
  if (size > before && size - before > memory_left) return NULL;
  char *changed = size > SIZE_MAX - header ? NULL : realloc(block, size + header);
  if (!changed) return NULL;
  memory_left = memory_left + before - size;
  memcpy(changed, &size, sizeof size);
  return changed + header;
}

struct parse {
  struct expatshim_events events;
  void *context;
  void *parser;
  int has_doctype;
  int wants_text;
};

static void began(void *opaque, const char *name, const char **attributes) {
  struct parse *parse = opaque;
  parse->wants_text = parse->events.began(parse->context, name, strlen(name), (const char *const *)attributes);
}

static void ended(void *opaque, const char *name) {
  struct parse *parse = opaque;
  parse->wants_text = parse->events.ended(parse->context, name);
}

static void text(void *opaque, const char *bytes, int size) {
  struct parse *parse = opaque;
  if (parse->wants_text) parse->events.text(parse->context, bytes, size);
}

static void doctype(void *opaque, const char *name, const char *system, const char *public, int has_subset) {
  (void)name, (void)system, (void)public, (void)has_subset;
  struct parse *parse = opaque;
  parse->has_doctype = 1;
  api.stop(parse->parser, 0);
}

enum expatshim_outcome expatshim_parse(
    const char *bytes, size_t size, struct expatshim_events events, void *context, size_t *line,
    const char **words) {
  struct parse parse = {.events = events, .context = context};
  // Room for a small document's buffers, and a few times the size of a large one.
  memory_left = size > SIZE_MAX / 8 ? SIZE_MAX / 2 : ((size_t)8 << 20) + 3 * size;
  const struct memory_functions functions = {take, change, give};
  parse.parser = api.create(NULL, &functions, expatshim_separator);
  if (!parse.parser) return expatshim_no_memory;
  api.set_triplets(parse.parser, 1);
  api.set_user_data(parse.parser, &parse);
  api.set_elements(parse.parser, began, ended);
  api.set_text(parse.parser, text);
  api.set_doctype(parse.parser, doctype);
  // expat copies what it gets, so it gets little at a time. Before 2.6 it reads a token that has not ended again from its
  // beginning with each part, so each is at least as long as that token is now: the whole takes linear time.
  const size_t usual = 256 << 10;
  size_t most = usual;
  size_t given = 0;
  int is_fine;
  do {
    size_t part = size - given > most ? most : size - given;
    is_fine = api.parse(parse.parser, bytes + given, (int)part, given + part == size);
    given += part;
    long place = api.place(parse.parser);
    size_t open = place < 0 || (size_t)place > given ? 0 : given - (size_t)place;
    most = open > usual ? open : usual;
  } while (is_fine == 1 && given < size);
  enum expatshim_outcome outcome = expatshim_whole;
  if (parse.has_doctype) {
    outcome = expatshim_doctype;
  } else if (is_fine != 1) {
    int code = api.error_code(parse.parser);
    outcome = code == 1 ? expatshim_no_memory : expatshim_malformed;
    *words = api.error_words(code);
    *line = api.line(parse.parser);
  }
  api.destroy(parse.parser);
  return outcome;
}

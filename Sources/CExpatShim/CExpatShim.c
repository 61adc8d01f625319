#include "CExpatShim.h"

#include <dlfcn.h>
#include <limits.h>

// Declared here, since expat's headers need not be installed; these functions and numbers have not changed since 2.0.
typedef void (*start_element)(void *, const char *, const char **);
typedef void (*end_element)(void *, const char *);
typedef void (*character_data)(void *, const char *, int);
typedef void (*start_doctype)(void *, const char *, const char *, const char *, int);

static struct {
  void *(*create)(const char *, char);
  void (*destroy)(void *);
  void (*set_user_data)(void *, void *);
  void (*set_elements)(void *, start_element, end_element);
  void (*set_text)(void *, character_data);
  void (*set_doctype)(void *, start_doctype);
  int (*parse)(void *, const char *, int, int);
  int (*stop)(void *, unsigned char);
  int (*error_code)(void *);
  const char *(*error_words)(int);
  unsigned long (*line)(void *);
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
      {(void **)&api.create, "XML_ParserCreateNS"},
      {(void **)&api.destroy, "XML_ParserFree"},
      {(void **)&api.set_user_data, "XML_SetUserData"},
      {(void **)&api.set_elements, "XML_SetElementHandler"},
      {(void **)&api.set_text, "XML_SetCharacterDataHandler"},
      {(void **)&api.set_doctype, "XML_SetStartDoctypeDeclHandler"},
      {(void **)&api.parse, "XML_Parse"},
      {(void **)&api.stop, "XML_StopParser"},
      {(void **)&api.error_code, "XML_GetErrorCode"},
      {(void **)&api.error_words, "XML_ErrorString"},
      {(void **)&api.line, "XML_GetCurrentLineNumber"},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    *wanted[i].slot = dlsym(library, wanted[i].name);
    if (!*wanted[i].slot) return 0;
  }
  return 1;
}

struct parse {
  struct expatshim_events events;
  void *context;
  void *parser;
  int has_doctype;
};

static void began(void *opaque, const char *name, const char **attributes) {
  struct parse *parse = opaque;
  parse->events.began(parse->context, name, (const char *const *)attributes);
}

static void ended(void *opaque, const char *name) {
  struct parse *parse = opaque;
  parse->events.ended(parse->context, name);
}

static void text(void *opaque, const char *bytes, int size) {
  struct parse *parse = opaque;
  parse->events.text(parse->context, bytes, size);
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
  parse.parser = api.create(NULL, ' ');
  if (!parse.parser) return expatshim_no_memory;
  api.set_user_data(parse.parser, &parse);
  api.set_elements(parse.parser, began, ended);
  api.set_text(parse.parser, text);
  api.set_doctype(parse.parser, doctype);
  int isFine;
  do {
    int part = size > INT_MAX / 2 ? INT_MAX / 2 : (int)size;
    size -= part;
    isFine = api.parse(parse.parser, bytes, part, size == 0);
    bytes += part;
  } while (isFine == 1 && size > 0);
  enum expatshim_outcome outcome = expatshim_whole;
  if (parse.has_doctype) {
    outcome = expatshim_doctype;
  } else if (isFine != 1) {
    int code = api.error_code(parse.parser);
    outcome = code == 1 ? expatshim_no_memory : expatshim_malformed;
    *words = api.error_words(code);
    *line = api.line(parse.parser);
  }
  api.destroy(parse.parser);
  return outcome;
}

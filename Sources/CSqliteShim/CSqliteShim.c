#include "CSqliteShim.h"

#include <dlfcn.h>
#include <stddef.h>

static struct {
  int (*open_v2)(const char *, sqlite3 **, int, const char *);
  int (*close_v2)(sqlite3 *);
  int (*extended_result_codes)(sqlite3 *, int);
  int (*busy_timeout)(sqlite3 *, int);
  int (*limit)(sqlite3 *, int, int);
  int (*deserialize)(
      sqlite3 *, const char *, unsigned char *, sqlite3_int64, sqlite3_int64, unsigned int);
  void *(*malloc64)(sqlite3_uint64);
  const char *(*errmsg)(sqlite3 *);
  int (*system_errno)(sqlite3 *);
  int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
  int (*prepare_v3)(sqlite3 *, const char *, int, unsigned int, sqlite3_stmt **, const char **);
  int (*step)(sqlite3_stmt *);
  int (*reset)(sqlite3_stmt *);
  int (*finalize)(sqlite3_stmt *);
  int (*bind_parameter_count)(sqlite3_stmt *);
  int (*bind_null)(sqlite3_stmt *, int);
  int (*bind_int64)(sqlite3_stmt *, int, sqlite3_int64);
  int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
  int (*bind_blob)(sqlite3_stmt *, int, const void *, int, void (*)(void *));
  int (*bind_zeroblob)(sqlite3_stmt *, int, int);
  int (*column_type)(sqlite3_stmt *, int);
  sqlite3_int64 (*column_int64)(sqlite3_stmt *, int);
  const unsigned char *(*column_text)(sqlite3_stmt *, int);
  const void *(*column_blob)(sqlite3_stmt *, int);
  int (*column_bytes)(sqlite3_stmt *, int);
} api;

// Every function that is used, once for each way to find it.
#define FUNCTIONS(USE) \
  USE(open_v2) \
  USE(close_v2) \
  USE(extended_result_codes) \
  USE(busy_timeout) \
  USE(limit) \
  USE(deserialize) \
  USE(malloc64) \
  USE(errmsg) \
  USE(system_errno) \
  USE(exec) \
  USE(prepare_v3) \
  USE(step) \
  USE(reset) \
  USE(finalize) \
  USE(bind_parameter_count) \
  USE(bind_null) \
  USE(bind_int64) \
  USE(bind_text) \
  USE(bind_blob) \
  USE(bind_zeroblob) \
  USE(column_type) \
  USE(column_int64) \
  USE(column_text) \
  USE(column_blob) \
  USE(column_bytes)

#ifdef SYNCMAKE_LINKS_SQLITE

const char *sqliteshim_load(void) {
#define TAKE(name) api.name = sqlite3_##name;
  FUNCTIONS(TAKE)
#undef TAKE
  return NULL;
}

#else

#ifdef __APPLE__
#define LIBRARY "/usr/lib/libsqlite3.dylib"
#else
#define LIBRARY "libsqlite3.so.0"
#endif

const char *sqliteshim_load(void) {
  void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return dlerror();

#define LOOK_UP(name) {(void **)&api.name, "sqlite3_" #name},
  const struct {
    void **slot;
    const char *name;
  } wanted[] = {FUNCTIONS(LOOK_UP)};
#undef LOOK_UP
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    *wanted[i].slot = dlsym(library, wanted[i].name);
    if (!*wanted[i].slot) return LIBRARY " is too old: SQLite 3.23 is the first that will do";
  }
  return NULL;
}

#endif

int sqliteshim_open(const char *name, sqlite3 **db, int flags) {
  return api.open_v2(name, db, flags, NULL);
}
void sqliteshim_close(sqlite3 *db) { api.close_v2(db); }
void sqliteshim_extended_result_codes(sqlite3 *db, int are_wanted) {
  api.extended_result_codes(db, are_wanted);
}
void sqliteshim_busy_timeout(sqlite3 *db, int milliseconds) { api.busy_timeout(db, milliseconds); }
void sqliteshim_limit(sqlite3 *db, int which, int value) { api.limit(db, which, value); }
int sqliteshim_deserialize(sqlite3 *db, unsigned char *memory, sqlite3_int64 size) {
  return api.deserialize(
      db, "main", memory, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
}
void *sqliteshim_malloc(sqlite3_uint64 size) { return api.malloc64(size); }
const char *sqliteshim_errmsg(sqlite3 *db) { return api.errmsg(db); }
int sqliteshim_system_errno(sqlite3 *db) { return api.system_errno(db); }

int sqliteshim_exec(sqlite3 *db, const char *sql) { return api.exec(db, sql, NULL, NULL, NULL); }
int sqliteshim_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement) {
  return api.prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}
int sqliteshim_step(sqlite3_stmt *statement) { return api.step(statement); }
void sqliteshim_reset(sqlite3_stmt *statement) { api.reset(statement); }
void sqliteshim_finalize(sqlite3_stmt *statement) { api.finalize(statement); }

int sqliteshim_bind_parameter_count(sqlite3_stmt *statement) {
  return api.bind_parameter_count(statement);
}
int sqliteshim_bind_null(sqlite3_stmt *statement, int index) { return api.bind_null(statement, index); }
int sqliteshim_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 value) {
  return api.bind_int64(statement, index, value);
}
int sqliteshim_bind_text(sqlite3_stmt *statement, int index, const char *text, int size) {
  return api.bind_text(statement, index, text, size, SQLITE_TRANSIENT);
}
int sqliteshim_bind_lasting_text(sqlite3_stmt *statement, int index, const char *text, int size) {
  return api.bind_text(statement, index, text, size, SQLITE_STATIC);
}
int sqliteshim_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int size) {
  return api.bind_blob(statement, index, bytes, size, SQLITE_TRANSIENT);
}
int sqliteshim_bind_zeroblob(sqlite3_stmt *statement, int index, int size) {
  return api.bind_zeroblob(statement, index, size);
}

int sqliteshim_column_type(sqlite3_stmt *statement, int index) {
  return api.column_type(statement, index);
}
sqlite3_int64 sqliteshim_column_int64(sqlite3_stmt *statement, int index) {
  return api.column_int64(statement, index);
}
const unsigned char *sqliteshim_column_text(sqlite3_stmt *statement, int index) {
  return api.column_text(statement, index);
}
const void *sqliteshim_column_blob(sqlite3_stmt *statement, int index) {
  return api.column_blob(statement, index);
}
int sqliteshim_column_bytes(sqlite3_stmt *statement, int index) {
  return api.column_bytes(statement, index);
}

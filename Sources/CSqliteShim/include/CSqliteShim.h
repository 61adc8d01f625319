#pragma once

// The functions of SQLite that StateStore uses, without a link-time reference: a run that finds everything fresh does
// not open the state, and need not load SQLite. sqliteshim_load looks the functions up once; none of the others may
// be called before it has returned NULL. They are SQLite's functions of these names (sqlite.org/c3ref/funclist.html),
// without the arguments that are not needed here. With SYNCMAKE_LINKS_SQLITE they are linked in,
// as in released programs (docs/decisions/0025), and nothing is loaded.

#include <sqlite3.h>

/// Loads SQLite. Returns NULL, or a text about the fault that must be copied at once. Must not be called twice or by
/// two threads at once.
const char *_Nullable sqliteshim_load(void);

int sqliteshim_open(const char *_Nonnull name, sqlite3 *_Nullable *_Nonnull db, int flags);
void sqliteshim_close(sqlite3 *_Nonnull db);
void sqliteshim_extended_result_codes(sqlite3 *_Nonnull db, int are_wanted);
void sqliteshim_busy_timeout(sqlite3 *_Nonnull db, int milliseconds);
void sqliteshim_limit(sqlite3 *_Nonnull db, int which, int value);
/// Makes `memory`, `size` bytes from sqliteshim_malloc, the content of a read-only database. Owns them afterwards,
/// even if it fails.
int sqliteshim_deserialize(sqlite3 *_Nonnull db, unsigned char *_Nonnull memory, sqlite3_int64 size);
void *_Nullable sqliteshim_malloc(sqlite3_uint64 size);
const char *_Nullable sqliteshim_errmsg(sqlite3 *_Nonnull db);
int sqliteshim_system_errno(sqlite3 *_Nonnull db);

int sqliteshim_exec(sqlite3 *_Nonnull db, const char *_Nonnull sql);
/// For a statement that is kept and reused.
int sqliteshim_prepare(
    sqlite3 *_Nonnull db, const char *_Nonnull sql, sqlite3_stmt *_Nullable *_Nonnull statement);
int sqliteshim_step(sqlite3_stmt *_Nonnull statement);
void sqliteshim_reset(sqlite3_stmt *_Nonnull statement);
void sqliteshim_finalize(sqlite3_stmt *_Nonnull statement);

// Bound values are copied, except lasting text.
int sqliteshim_bind_parameter_count(sqlite3_stmt *_Nonnull statement);
int sqliteshim_bind_null(sqlite3_stmt *_Nonnull statement, int index);
int sqliteshim_bind_int64(sqlite3_stmt *_Nonnull statement, int index, sqlite3_int64 value);
int sqliteshim_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int size);
/// The text must stay valid as long as the statement uses it.
int sqliteshim_bind_lasting_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int size);
int sqliteshim_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nonnull bytes, int size);
/// This number of zeros; 0 gives an empty value, which is not NULL.
int sqliteshim_bind_zeroblob(sqlite3_stmt *_Nonnull statement, int index, int size);

int sqliteshim_column_type(sqlite3_stmt *_Nonnull statement, int index);
sqlite3_int64 sqliteshim_column_int64(sqlite3_stmt *_Nonnull statement, int index);
const unsigned char *_Nullable sqliteshim_column_text(sqlite3_stmt *_Nonnull statement, int index);
const void *_Nullable sqliteshim_column_blob(sqlite3_stmt *_Nonnull statement, int index);
int sqliteshim_column_bytes(sqlite3_stmt *_Nonnull statement, int index);

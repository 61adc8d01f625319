#pragma once

// What StateStore uses of SQLite, without a link-time reference to it: a run that finds everything fresh opens no
// state, and is spared what loading it costs. The functions are looked up once, by sqliteshim_load; none of the
// others may be called before it has returned NULL. They are SQLite's own of those names
// (sqlite.org/c3ref/funclist.html), less the arguments that nobody here has a use for.

#include <sqlite3.h>

/// Loads SQLite. Returns NULL, or the words for what is wrong, which are to be copied at once.
/// Not to be called twice, nor by two threads at once.
const char *_Nullable sqliteshim_load(void);

int sqliteshim_open(const char *_Nonnull name, sqlite3 *_Nullable *_Nonnull db, int flags);
void sqliteshim_close(sqlite3 *_Nonnull db);
void sqliteshim_extended_result_codes(sqlite3 *_Nonnull db, int are_wanted);
void sqliteshim_busy_timeout(sqlite3 *_Nonnull db, int milliseconds);
void sqliteshim_limit(sqlite3 *_Nonnull db, int which, int value);
/// Makes `memory`, `size` bytes that sqliteshim_malloc gave, the content of a database that is only read. Takes them
/// over also when it fails.
int sqliteshim_deserialize(sqlite3 *_Nonnull db, unsigned char *_Nonnull memory, sqlite3_int64 size);
void *_Nullable sqliteshim_malloc(sqlite3_uint64 size);
const char *_Nullable sqliteshim_errmsg(sqlite3 *_Nonnull db);
int sqliteshim_system_errno(sqlite3 *_Nonnull db);

int sqliteshim_exec(sqlite3 *_Nonnull db, const char *_Nonnull sql);
/// For a statement that is kept and used often.
int sqliteshim_prepare(
    sqlite3 *_Nonnull db, const char *_Nonnull sql, sqlite3_stmt *_Nullable *_Nonnull statement);
int sqliteshim_step(sqlite3_stmt *_Nonnull statement);
void sqliteshim_reset(sqlite3_stmt *_Nonnull statement);
void sqliteshim_finalize(sqlite3_stmt *_Nonnull statement);

// What is bound is copied, but for lasting text.
int sqliteshim_bind_parameter_count(sqlite3_stmt *_Nonnull statement);
int sqliteshim_bind_null(sqlite3_stmt *_Nonnull statement, int index);
int sqliteshim_bind_int64(sqlite3_stmt *_Nonnull statement, int index, sqlite3_int64 value);
int sqliteshim_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int size);
/// The text must stay where it is for as long as the statement is performed with it.
int sqliteshim_bind_lasting_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int size);
int sqliteshim_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nonnull bytes, int size);
/// So many zeros; with none of them an empty value, which is not NULL.
int sqliteshim_bind_zeroblob(sqlite3_stmt *_Nonnull statement, int index, int size);

int sqliteshim_column_type(sqlite3_stmt *_Nonnull statement, int index);
sqlite3_int64 sqliteshim_column_int64(sqlite3_stmt *_Nonnull statement, int index);
const unsigned char *_Nullable sqliteshim_column_text(sqlite3_stmt *_Nonnull statement, int index);
const void *_Nullable sqliteshim_column_blob(sqlite3_stmt *_Nonnull statement, int index);
int sqliteshim_column_bytes(sqlite3_stmt *_Nonnull statement, int index);

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CSQLITE_SHIM_H
#define BLUEBONNET_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds text that SQLite copies: SQLITE_TRANSIENT is a cast, which Swift cannot import.
static inline int bluebonnet_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds bytes that SQLite copies.
static inline int bluebonnet_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Empties a database, however corrupt its file is, even if it is open elsewhere (SQLITE_DBCONFIG_RESET_DATABASE).
///
/// Swift cannot call a variadic function.
static inline int bluebonnet_sqlite3_reset(sqlite3 *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, 1, (int *)0);
    if (result != SQLITE_OK) return result;
    result = sqlite3_exec(database, "VACUUM", (void *)0, (void *)0, (void *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, 0, (int *)0);
    return result;
}

#endif

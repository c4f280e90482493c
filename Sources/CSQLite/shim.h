// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CSQLITE_SHIM_H
#define BLUEBONNET_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds text that SQLite copies: the constant that says so is a cast, which Swift cannot import.
static inline int bluebonnet_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds bytes that SQLite copies.
static inline int bluebonnet_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

#endif

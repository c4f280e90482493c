// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Call sites that must not compile, each with the beginning of what the compiler says; `scripts/check-call-sites` compares both.

import Bluebonnet

final class Connection {}

func refuse(_ api: HTTPSession, connection: Connection, page: Int, size: Int, name: String, maybe: String?) async throws {
    _ = try await api.get("users", parameters: ["connection": connection])
    _ = try await api.get("users", parameters: ["page": page, "q": maybe, "connection": connection])
    _ = try await api.post("users", parameters: ["page": page, "connection": connection], as: Int.self)
    try await api.delete("users", parameters: connection)
    _ = try await api.get("users", query: ["connection": connection])
    _ = try await api.get("users", parameters: ["page": page, "filter": ["size": size, "name": name]])
    _ = try await api.get("users", parameters: ["range": [1, "end"]])
    _ = try await api.get("users", parameters: 1, as: Connection.self)
    _ = try await api.get(["users", page])
    _ = try await api.get(page)
    _ = try await api.get("users", headers: ["X-Page": page])
    _ = try await api.get("users", headers: ["X-Page": page, "X-Name": maybe])
    try await api.post("users", parameters: ["page": page], body: "text")
    try await api.put("users", timeout: 2)
}

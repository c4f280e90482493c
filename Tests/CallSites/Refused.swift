// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Call sites that must not compile, each below the beginning of what the compiler says.
// `scripts/check-call-sites` compares both.

import Bluebonnet

final class Connection {}

func refuse(_ api: HTTPSession, connection: Connection, page: Int, size: Int, maybe: String?) async throws {
    let name = "Ada"
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["connection": connection])
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["page": page, "q": maybe, "connection": connection])
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.post("users", parameters: ["page": page, "connection": connection], as: Int.self)
    // error: instance method 'delete(_:query:parameters:headers:options:timeout:progress:serializer:)' requires that 'Connection' conform to 'Encodable'
    try await api.delete("users", parameters: connection)
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", query: ["connection": connection])
    // error: cannot convert value of type '[String : Any]' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["page": page, "filter": ["size": size, "name": name]])
    // error: cannot convert value of type '[Any]' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["range": [1, "end"]])
    // error: instance method 'get(_:query:parameters:headers:options:timeout:progress:as:)' requires that 'Connection' conform to 'Decodable'
    _ = try await api.get("users", parameters: 1, as: Connection.self)
    // error: cannot convert value of type 'Int' to expected element type 'String'
    _ = try await api.get(["users", page])
    // error: argument type 'Int' does not conform to expected type 'RequestPath'
    _ = try await api.get(page)
    // error: referencing instance method 'get(_:query:parameters:headers:options:timeout:progress:serializer:)' on 'Dictionary' requires that 'Int' conform to 'HeaderValue'
    _ = try await api.get("users", headers: ["X-Page": page])
    // error: cannot convert value of type 'Int' to expected dictionary value type 'String?'
    _ = try await api.get("users", headers: ["X-Page": page, "X-Name": maybe])
    // error: cannot convert value of type 'String' to expected argument type 'RequestBody'
    try await api.post("users", parameters: ["page": page], body: "text")
    // error: cannot convert value of type 'Int' to expected argument type 'Duration'
    try await api.put("users", timeout: 2)
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Call sites that must not compile, or not without a warning, each below the beginning of what the compiler says.
// `scripts/check-call-sites` compares both.

import Bluebonnet

final class Connection {}

final class Draft: Encodable {}

func refuse(_ api: HTTPSession, connection: Connection, page: Int, size: Int, maybe: String?) async throws {
    let name = "Ada"
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["connection": connection])
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["page": page, "q": maybe, "connection": connection])
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.post("users", parameters: ["page": page, "connection": connection], as: Int.self)
    // error: instance method 'callAsFunction(_:query:parameters:multipart:headers:options:timeout:serializer:progress:)' requires that 'Connection' conform to 'Encodable'
    try await api.delete("users", parameters: connection)
    // error: cannot convert value of type 'Connection' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", query: ["connection": connection])
    // error: cannot convert value of type '[String : Any]' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["page": page, "filter": ["size": size, "name": name]])
    // error: cannot convert value of type '[Any]' to expected dictionary value type '(any Encodable & Sendable)?'
    _ = try await api.get("users", parameters: ["range": [1, "end"]])
    // error: instance method 'callAsFunction(_:query:parameters:headers:options:timeout:as:progress:)' requires that 'Connection' conform to 'Decodable'
    _ = try await api.get("users", parameters: 1, as: Connection.self)
    // error: cannot convert value of type 'Int' to expected element type 'String'
    _ = try await api.get(["users", page])
    // error: argument type 'Int' does not conform to expected type 'RequestPath'
    _ = try await api.get(page)
    // error: referencing instance method 'callAsFunction(_:query:parameters:headers:options:timeout:serializer:progress:)' on 'Dictionary' requires that 'Int' conform to 'HeaderValue'
    _ = try await api.get("users", headers: ["X-Page": page])
    // error: cannot convert value of type 'Int' to expected dictionary value type 'String?'
    _ = try await api.get("users", headers: ["X-Page": page, "X-Name": maybe])
    // error: cannot convert value of type 'String' to expected argument type 'RequestBody'
    try await api.post("users", parameters: ["page": page], body: "text")
    // error: cannot convert value of type 'Int' to expected argument type 'Duration'
    try await api.put("users", timeout: 2)
}

func refuseCalls(_ api: HTTPSession, page: Int, form: MultipartFormData, draft: Draft, data: Data) async throws {
    // error: incorrect argument label in call (have '_:parameter:', expected '_:parameters:')
    _ = try await api.get("users", parameter: ["page": page])
    // error: extra argument 'json' in call
    try await api.post("users", json: ["page": page])
    // error: argument 'parameters' must precede argument 'headers'
    _ = try await api.get("users", headers: ["X-Api-Key": "k"], parameters: ["page": page], as: Int.self)
    // error: missing argument for parameter #1 in call
    _ = try await api.get(parameters: ["page": page])
    // error: missing argument label 'query:' in call
    try await api.post("users", ["page": page])
    // error: extra argument 'multipart' in call
    _ = try await api.get("users", multipart: form)
    // error: cannot convert value of type 'Data' to expected argument type 'RequestBody'
    try await api.put("users", body: data)
    // error: cannot convert value of type 'Draft' to expected argument type 'Parameters'
    try await api.put("users", parameters: draft, body: .data(data))
    // error: cannot convert value of type 'Response' to specified type 'Int'
    let count: Int = try await api.get("users")
    // error: type 'ResponseSerializer' has no member 'text'
    _ = try await api.get("users", serializer: .text)
    // error: value of type 'HTTPSession' has no member 'remove'
    try await api.remove("users")
    // error: call can throw but is not marked with 'try'
    _ = await api.get("users", as: Int.self)
    // error: expression is 'async' but is not marked with 'await'
    try api.post("users", parameters: ["page": page])
    // warning: result of call to 'callAsFunction(_:query:parameters:headers:options:timeout:serializer:progress:)' is unused
    try await api.get("users")
    // warning: expression of type 'HTTPSession.SafeMethod' is unused
    api.get
    print(count)
}

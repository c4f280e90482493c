// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Usage: scripts/check-readme
//
// What the examples in doc comments take for granted: they are compiled together with this file, which is never run.

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import Dispatch
import Foundation

func any<Value>(_ type: Value.Type = Value.self) -> Value { fatalError() }

nonisolated(unsafe) var api: HTTPSession = any()
nonisolated(unsafe) var session: Session = any()
nonisolated(unsafe) var configuration: Session.Configuration = any()
nonisolated(unsafe) var request: Request = any()
nonisolated(unsafe) var response: Response = any()
nonisolated(unsafe) var form: MultipartFormData = any()
nonisolated(unsafe) var jar: CookieJar = any()
nonisolated(unsafe) var queue: TransferQueue = any()
nonisolated(unsafe) var tokens: TokenStore = any()
nonisolated(unsafe) var stored: AccessToken = any()
nonisolated(unsafe) var server: TestServer = any()
nonisolated(unsafe) var serializer: StringResponseSerializer = any()
nonisolated(unsafe) var store: any CredentialStore = any()
nonisolated(unsafe) var client: OAuth2.Client = any()
nonisolated(unsafe) var identity: ClientIdentity = any()
nonisolated(unsafe) var next: Chain = any()

nonisolated(unsafe) var url: URL = any()
nonisolated(unsafe) var pageURL: URL = any()
nonisolated(unsafe) var source: URL = any()
nonisolated(unsafe) var target: URL = any()
nonisolated(unsafe) var directory: URL = any()
nonisolated(unsafe) var destination: URL = any()
nonisolated(unsafe) var file: URL = any()
nonisolated(unsafe) var folder: URL = any()
nonisolated(unsafe) var log: URL = any()

nonisolated(unsafe) var key: String = any()
nonisolated(unsafe) var name: String = any()
nonisolated(unsafe) var password: String = any()
nonisolated(unsafe) var path: String = any()
nonisolated(unsafe) var token: String = any()
nonisolated(unsafe) var secret: String = any()
nonisolated(unsafe) var page: Int = any()
nonisolated(unsafe) var count: Int = any()
nonisolated(unsafe) var body: Data = any()
nonisolated(unsafe) var data: Data = any()
nonisolated(unsafe) var text: Data = any()
nonisolated(unsafe) var user: User = any()
nonisolated(unsafe) var value: String = any()
nonisolated(unsafe) var rows: [Row] = any()
nonisolated(unsafe) var question: NewUser = any()
nonisolated(unsafe) var group: DispatchGroup = any()
nonisolated(unsafe) var parent: Progress = any()

struct User: Codable { var firstName: String }
struct NewUser: Codable { var name: String }
struct Row: Codable { var number: Int }
struct APIError: Codable { var message: String }

enum Document {
    case json(JSONValue?)
    case text(String)
}

struct TokenStore {
    func current() async throws -> String { any() }
}

func consume(_ body: ResponseBody) async throws {}
func digest(_ certificate: some Any) -> [UInt8] { any() }

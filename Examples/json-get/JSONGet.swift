// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Gets a JSON document and decodes it into a custom type.
///
///     swift run json-get https://api.example.com/users/1
@main
struct JSONGet {
    /// The content of the document; other members are ignored.
    struct User: Decodable, Sendable {
        var id: Int
        var name: String
    }

    static func main() async {
        guard let address = CommandLine.arguments.dropFirst().first else {
            print("usage: json-get URL")
            exit(64)
        }
        do {
            let user = try await Self.user(at: address)
            print("\(user.id): \(user.name)")
        } catch let error as SessionError where error.code == .unacceptableStatus {
            print("the server said \(error.response?.status.code ?? 0)")
            exit(1)
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Gets the user at a URL.
    static func user(at address: String) async throws -> User {
        try await HTTPSession().get(address, as: User.self)
    }
}

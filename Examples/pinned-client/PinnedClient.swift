// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Gets a document, but only from a server that has one of two public keys.
///
///     swift run pinned-client https://example.com/ r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E= WoiWRyIOVNa9ihaBciRSC7XHjliYS9VwUGOIud4PB18=
///
/// The first key is that of the server or of a certificate authority above it. The second one is a backup, stored
/// elsewhere in case the first one is lost. If no key matches, nothing is sent, and the server's keys are printed.
@main
struct PinnedClient {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3 else {
            print("usage: pinned-client URL PIN BACKUP_PIN")
            exit(64)
        }
        do {
            let pins = arguments.dropFirst().map { PublicKeyPin.sha256($0) }
            print(try await Self.document(arguments[0], pins: pins))
        } catch let error as SessionError where error.certificateFault == .pinMismatch {
            print("The server has none of the pinned keys. The path that was verified has these:")
            for line in Self.seen(error) { print("    \(line)") }
            exit(1)
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Gets text from a server that has one of the keys.
    ///
    /// - Parameters:
    ///   - address: The URL, with the scheme https, because plain http is not authenticated.
    ///   - pins: The keys, at least two.
    ///   - configuration: The configuration of the session.
    /// - Returns: The text.
    /// - Throws: `SessionError`, whose `certificateFault` is `pinMismatch` for a server without these keys.
    static func document(
        _ address: String,
        pins: [PublicKeyPin],
        configuration: Session.Configuration = Session.Configuration()
    ) async throws -> String {
        guard let host = URL(string: address)?.host(percentEncoded: false) else {
            throw SessionError(.invalidURL, reason: "\(address) names no host")
        }
        var configuration = configuration
        configuration.pins = PublicKeyPins([PinSet(host, pins)])
        return try await HTTPSession(configuration: configuration).get(address, serializer: .string)
    }

    /// Returns the keys of a server that was rejected, for comparison.
    static func seen(_ error: SessionError) -> [String] {
        error.pinReport?.seen.map(\.description) ?? []
    }
}

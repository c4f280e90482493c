// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// The tables of rules about cookies, as JSON that a person can read.
enum CookieFixtures {
    static func rows<Row: Decodable>(_ name: String, _ type: Row.Type = Row.self) throws -> [Row] {
        let file = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures/cookies")
        )
        return try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
    }
}

/// The time of day, as a test sets it; it begins on 2026-01-01 at 00:00:00.
final class TestCalendar: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_767_225_600))

    var now: Date { self.time.withLock { $0 } }

    func advance(by seconds: Double) { self.time.withLock { $0 += seconds } }
}

extension CookieJar {
    /// A jar whose time a test sets.
    convenience init(
        _ calendar: TestCalendar,
        store: (any CookieStore)? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) {
        var options = Options()
        change(&options)
        self.init(store: store, options: options) { calendar.now }
    }

    /// The Cookie field of the program's own GET request.
    func field(_ url: String, _ change: (inout CookieRequest) -> Void = { _ in }) throws -> String? {
        var request = CookieRequest(try RequestTarget(try Peer.url(url)), self.options)
        change(&request)
        return self.field(for: request).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes a Set-Cookie field, whatever comes of it.
    @discardableResult
    func take(_ field: String, _ url: String) throws -> Cookie.Refusal? {
        do throws(Cookie.Refusal) {
            try self.receive(field, from: try self.url(url))
            return nil
        } catch {
            return error
        }
    }

    private func url(_ text: String) throws(Cookie.Refusal) -> URL {
        guard let url = URL(string: text) else { throw .unusableURL }
        return url
    }
}

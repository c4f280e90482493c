// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct SOCKS5NegotiationTests {
    typealias Destination = SOCKS5Negotiation.Destination

    static let proxy = Proxy(scheme: .socks5h, host: "p")
    static let withPassword = Proxy(scheme: .socks5h, host: "p", username: "ada", password: "secret")

    /// What a negotiation said, and how it ended.
    struct Outcome: Equatable {
        var sent: [[UInt8]]
        var error: TransportError?
        var isDone: Bool
        var rest: [UInt8]
    }

    /// Feeds the bytes in pieces that end at these places.
    static func run(_ proxy: Proxy, _ destination: Destination, _ bytes: [UInt8], cuts: [Int] = []) throws -> Outcome {
        var negotiation = try SOCKS5Negotiation(proxy: proxy, destination: destination, port: 443)
        var outcome = Outcome(sent: [Array(negotiation.begin().readableBytesView)], isDone: false, rest: [])
        var buffer = ByteBuffer()
        var fed = 0
        for end in cuts + [bytes.count] {
            buffer.writeBytes(bytes[fed..<end])
            fed = end
            do throws(TransportError) {
                reading: while !outcome.isDone {
                    switch try negotiation.receive(&buffer) {
                    case .needsMore: break reading
                    case .send(let bytes): outcome.sent.append(Array(bytes.readableBytesView))
                    case .done: outcome.isDone = true
                    case .redial: break reading
                    }
                }
            } catch {
                outcome.error = error
                return outcome
            }
        }
        outcome.rest = Array(buffer.readableBytesView)
        return outcome
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var proxy = SOCKS5NegotiationTests.proxy
        var destination = Destination.name("example.com")
        var responses: [UInt8]
        var sent: [[UInt8]]
        var testDescription: String { self.name }
    }

    static let nameRequest: [UInt8] = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [1, 187]
    static let password: [UInt8] = [1, 3] + Array("ada".utf8) + [6] + Array("secret".utf8)

    static func address(_ text: String) -> Destination {
        IPAddress(text).map { .address($0) } ?? .name(text)
    }

    static let cases = [
        Case(
            name: "name, no password",
            responses: [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80],
            sent: [[5, 1, 0], nameRequest]
        ),
        Case(
            name: "IPv4",
            destination: address("10.1.2.3"),
            responses: [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
            sent: [[5, 1, 0], [5, 1, 0, 1, 10, 1, 2, 3, 1, 187]]
        ),
        Case(
            name: "IPv6, answered with IPv6",
            destination: address("fd00::1"),
            responses: [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 5, count: 16) + [0, 80],
            sent: [[5, 1, 0], [5, 1, 0, 4, 0xFD] + [UInt8](repeating: 0, count: 14) + [1, 1, 187]]
        ),
        Case(
            name: "password, answered with a name",
            proxy: withPassword,
            responses: [5, 2, 1, 0, 5, 0, 0, 3, 4, 5, 5, 5, 5, 0, 80],
            sent: [[5, 2, 0, 2], password, nameRequest]
        ),
        Case(
            name: "password not wanted, answered with an empty name",
            proxy: withPassword,
            responses: [5, 0, 5, 0, 0, 3, 0, 0, 80],
            sent: [[5, 2, 0, 2], nameRequest]
        ),
        Case(
            name: "a version of the password protocol that some servers send",
            proxy: withPassword,
            responses: [5, 2, 5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
            sent: [[5, 2, 0, 2], password, nameRequest]
        ),
    ]

    @Test(arguments: cases) func `is the same however the bytes are cut, and keeps what the origin sends`(
        _ one: Case
    ) throws {
        let rest: [UInt8] = [5, 5, 22, 3]
        let expected = Outcome(sent: one.sent, isDone: true, rest: rest)
        let bytes = one.responses + rest
        #expect(try Self.run(one.proxy, one.destination, bytes) == expected)
        #expect(try Self.run(one.proxy, one.destination, bytes, cuts: Array(1..<bytes.count)) == expected)
        for cut in 0...bytes.count {
            #expect(try Self.run(one.proxy, one.destination, bytes, cuts: [cut]) == expected, "cut at \(cut)")
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let cuts = (0..<Int.random(in: 0...5, using: &generator))
                .map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            #expect(try Self.run(one.proxy, one.destination, bytes, cuts: cuts) == expected, "\(cuts)")
        }
        for end in one.responses.indices {
            let cut = try Self.run(one.proxy, one.destination, Array(one.responses[..<end]))
            #expect(!cut.isDone && cut.error == nil, "after \(end) bytes")
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        var name: String
        var responses: [UInt8]
        var code = TransportError.Code.proxyFailed
        var proxy = SOCKS5NegotiationTests.proxy
        var reason: String
        /// How many messages may have been sent by then.
        var messageCount = 1
        var testDescription: String { self.name }
    }

    static let refusals = [
        Refusal(name: "SOCKS 4", responses: [4], reason: "SOCKS 5"),
        Refusal(name: "HTTP", responses: Array("HTTP/1.1 400 Bad Request\r\n".utf8), reason: "SOCKS 5"),
        Refusal(
            name: "no method",
            responses: [5, 255],
            code: .proxyAuthenticationRequired,
            reason: "wants credentials"
        ),
        Refusal(
            name: "no method, with a password",
            responses: [5, 255],
            code: .proxyAuthenticationRequired,
            proxy: withPassword,
            reason: "does not accept"
        ),
        Refusal(name: "a method that was not offered", responses: [5, 2], reason: "not offered (2)"),
        Refusal(name: "GSSAPI", responses: [5, 1], proxy: withPassword, reason: "not offered (1)"),
        Refusal(
            name: "a wrong password",
            responses: [5, 2, 1, 1],
            code: .proxyAuthenticationRequired,
            proxy: withPassword,
            reason: "does not accept",
            messageCount: 2
        ),
        Refusal(name: "version of the response", responses: [5, 0, 4], reason: "SOCKS 5", messageCount: 2),
        Refusal(name: "kind of address", responses: [5, 0, 5, 0, 0, 2], reason: "unknown kind", messageCount: 2),
    ]

    @Test(arguments: refusals) func `a refusal is a typed error`(_ one: Refusal) throws {
        let outcome = try Self.run(one.proxy, .name("example.com"), one.responses)
        let error = try #require(outcome.error)
        #expect(error.code == one.code)
        #expect(error.reason.contains(one.reason), "\(error.reason)")
        #expect(!error.isRequestSent)
        #expect(outcome.sent.count == one.messageCount)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `each response code has its own reason, known with its second byte`() throws {
        var reasons = Set<String>()
        for code in UInt8(1)...255 {
            let outcome = try Self.run(Self.proxy, .name("example.com"), [5, 0, 5, code])
            let error = try #require(outcome.error)
            #expect(error.code == .proxyFailed)
            reasons.insert(error.reason)
        }
        #expect(reasons.count == 255)
    }

    @Test func `any bytes give an answer or an error, and never more than is asked for`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            var bytes = (0..<Int.random(in: 0...40, using: &generator))
                .map { _ in UInt8.random(in: 0...6, using: &generator) }
            if Bool.random(using: &generator) { bytes = [5, 0] + bytes }
            let outcome = try Self.run(Self.withPassword, .name("example.com"), bytes)
            #expect(outcome.sent.count <= 3)
        }
    }

    @Test func `a name that the protocol cannot say is refused`() throws {
        for name in ["", String(repeating: "a", count: 256)] {
            let error = try #require(throws: TransportError.self) {
                try SOCKS5Negotiation(proxy: Self.proxy, destination: .name(name), port: 1)
            }
            #expect(error.code == .invalidRequest)
        }
        let longest = String(repeating: "a", count: 255)
        #expect(try Self.run(Self.proxy, .name(longest), [5, 0]).sent[1].count == 5 + 255 + 2)
    }
}

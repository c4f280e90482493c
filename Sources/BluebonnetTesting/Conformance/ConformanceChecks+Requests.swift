// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

extension TransportConformance.Check {
    /// Checks of requests.
    static let requests: [Self] = [
        Self("method", "Every method is sent as it is.") { visit in
            for method in [HTTPRequest.Method.get, .put, .post, .delete, .options, .patch] {
                let got = try await visit.text(visit.request("/method", method))
                try expect(got == method.rawValue, "\(method.rawValue) arrived as \(got)")
            }
        },
        Self("target", "The target is sent byte by byte: nothing is decoded, encoded, or left out.") { visit in
            for target in ["/target/a%2Fb/%41?x=%20y&z=1+2&&", "/target/;v=1/'*!(~)$?a/b?c"] {
                let got = try await visit.text(visit.request(target))
                try expect(got == target, "\(target) arrived as \(got)")
            }
        },
        Self(
            "request-fields",
            "The fields of a request are sent as they are: in their order, repeated and empty ones too."
        ) { visit in
            var request = visit.request("/fields")
            for value in ["one", "", "two, three", "one"] {
                request.headers.append(HTTPField(name: ConformanceSite.sent, value: value))
            }
            let got = try await visit.text(request)
            try expect(got == "one||two, three|one", "the values one, (none), two, three and one arrived as \(got)")
        },
        Self("request-body", "A body is sent whole, whatever it is made of, with a length or without.") { visit in
            for size in [0, 1, 100_000] {
                let expected = "\(size) \(await PatternBytes.sha256(ofFirst: Int64(size)))"
                let bytes = PatternBytes.slice(at: 0, byteCount: size)
                var unknown = FakeBody(byteCount: Int64(size), pieceByteCount: 30_000)
                unknown.promisedByteCount = nil
                for (name, body) in [
                    ("in memory", TransportBody.bytes(bytes)),
                    ("with a length", FakeBody(byteCount: Int64(size), pieceByteCount: 30_000).body),
                    ("without a length", unknown.body),
                ] {
                    let got = try await visit.text(visit.request("/digest", .post, body: body))
                    try expect(got == expected, "a body of \(size) bytes \(name) arrived as \(got), not \(expected)")
                }
            }
        },
        Self("concurrency", "Many exchanges at a time get the responses to their own requests.") { visit in
            try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let response = try await visit.get("/bytes/\(number)")
                        return (number, try await response.body.collect(upTo: 1000).readableBytes)
                    }
                }
                for try await (asked, got) in group {
                    try expect(asked == got, "a request for \(asked) bytes got the \(got) bytes of another")
                }
            }
        },
        Self(
            "splitting",
            "A target that would end the line is refused before a byte is sent, and is not repaired.",
            needs: [.wire]
        ) { visit in
            for target in ["/status/200 HTTP/1.1\r\nx-injected: 1", "/status/200\nx: 1", "/status/200\u{0}"] {
                try await visit.fails(
                    with: .invalidRequest,
                    isRequestSent: false,
                    "with a target that holds a line break or NUL"
                ) {
                    _ = try await visit.get(target)
                }
            }
            try expect(
                visit.server?.untakenRequestCount == 0,
                "the server was sent \(visit.server?.untakenRequestCount ?? 0) of the requests that were to be refused"
            )
            try await visit.stillWorks(after: "a request that was refused")
        },
        Self(
            "request-body-failure",
            "A body that cannot be read, or is not as long as it has promised, is an error of the request.",
            needs: [.wire]
        ) { visit in
            struct Unreadable: Error {}
            for (name, length, failure) in [
                ("whose reader throws", 201, Unreadable() as (any Error)?), ("that is too short", 300, nil),
                ("that is too long", 100, nil),
            ] {
                var body = FakeBody(byteCount: 200, failure: failure)
                body.promisedByteCount = Int64(length)
                try await visit.fails(with: .bodyFailed, "with a body \(name)") {
                    _ = try await visit.transport.exchange(visit.request("/digest", .post, body: body.body))
                }
            }
        },
        Self(
            "trust",
            "A server is judged by the evaluator of the request, or the request is refused; nothing is sent to one that is not trusted.",
            needs: [.wire, .tls]
        ) { visit in
            var request = visit.request("/status/200")
            request.trust = Distrust()
            let code: TransportError.Code =
                if case .supported = visit.transport.trustSupport { .untrustedCertificate } else { .invalidRequest }
            try await visit.fails(with: code, isRequestSent: false, "with an evaluator that trusts nobody") {
                _ = try await visit.transport.exchange(request)
            }
            let count = visit.server?.untakenRequestCount ?? 0
            try expect(count == 0, "a server that is not trusted was sent \(count) requests")
            try await visit.stillWorks(after: "a server that was not trusted")
        },
    ]
}

/// Trusts no server.
private struct Distrust: TrustEvaluator, Hashable {
    func evaluate(_ server: ServerTrust) async throws {
        throw TrustRefusal("the check trusts nobody")
    }
}

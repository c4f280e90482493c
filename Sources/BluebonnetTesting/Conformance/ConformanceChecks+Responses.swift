// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

extension TransportConformance.Check {
    /// Checks of response heads.
    static let responses: [Self] = [
        Self("status", "A response is handed over with its status, whatever it is; none is an error.") { visit in
            for status in [200, 201, 204, 206, 304, 400, 404, 418, 500, 599] {
                let response = try await visit.get("/status/\(status)")
                try expect(response.status.code == status, "\(status) arrived as \(response.status.code)")
                let count = try await response.body.collect(upTo: 1000).readableBytes
                try expect(count == 0, "the response with \(status) and no body had \(count) bytes")
            }
        },
        Self(
            "response-fields",
            "The fields of a response arrive as they are: in their order, repeated and empty ones too."
        ) { visit in
            let headers = try await visit.get("/fields").headers
            let repeated = headers[values: ConformanceSite.repeated]
            try expect(repeated == ["a", "b, c", "a"], "a field that was sent three times arrived as \(repeated)")
            let empty = headers[values: ConformanceSite.empty]
            try expect(empty == [""], "a field without a value arrived as \(empty)")
        },
        Self("head", "The response to HEAD has its fields and no body.") { visit in
            for mode in [TransportRequest.ResponseMode.collected(upTo: 10), .streamed] {
                var request = visit.request("/bytes/5000", .head)
                request.responseMode = mode
                let response = try await visit.transport.exchange(request)
                let length = response.headers[.contentLength]
                try expect(length == "5000", "Content-Length was \(length ?? "missing"), not 5000")
                let count = try await response.body.collect(upTo: 10_000).readableBytes
                try expect(count == 0, "the body had \(count) bytes")
            }
        },
        Self("informational", "Informational responses are told before the final one, with their fields.") { visit in
            let seen = Mutex([String]())
            var request = visit.request("/hints")
            request.onInformational = { status, fields in
                seen.withLock { $0.append("\(status.code) \(fields[ConformanceSite.link] ?? "")") }
            }
            let response = try await visit.transport.exchange(request)
            let before = seen.withLock { $0 }
            try expect(response.status.code == 200, "the final response was \(response.status.code)")
            try expect(before == ["103 </style.css>"], "of one 103 the request was told \(before)")
        },
        Self(
            "uninterpreted",
            "What a response means is the session's business: redirects and challenges are handed over, no cookie comes back."
        ) { visit in
            let redirect = try await visit.get("/redirect")
            try expect(redirect.status.code == 302, "a redirect arrived as \(redirect.status.code)")
            let location = redirect.headers[.location] ?? "none"
            try expect(location == "/status/200", "the Location of a redirect arrived as \(location)")
            let challenge = try await visit.get("/challenge")
            try expect(challenge.status.code == 401, "a challenge arrived as \(challenge.status.code)")
        },
        Self("content-coding", "A body is decoded only where the request asks for it.") { visit in
            let response = try await visit.get("/coded")
            let coding = response.headers[.contentEncoding] ?? "none"
            try expect(coding == "gzip", "Content-Encoding: gzip arrived as \(coding)")
            let body = String(buffer: try await response.body.collect(upTo: 1000))
            try expect(body == ConformanceSite.notGzip, "the body arrived as “\(body)”")
        },
    ]

    /// Checks of response bodies.
    static let bodies: [Self] = [
        Self("body", "A body arrives whole and in its order, collected or streamed.") { visit in
            for size in [0, 1, 16_384, 70_000, 200_000] {
                let expected = PatternBytes.slice(at: 0, byteCount: size)
                for mode in [TransportRequest.ResponseMode.collected(upTo: size), .streamed] {
                    var request = visit.request("/bytes/\(size)")
                    request.responseMode = mode
                    let response = try await visit.transport.exchange(request)
                    let got = try await response.body.collect(upTo: 2 * size + 1000)
                    try expect(
                        got == expected,
                        "of a body of \(size) bytes, \(mode), \(got.readableBytes) arrived"
                            + (got.readableBytes == size ? ", and not the right ones" : "")
                    )
                }
            }
        },
        Self("collected", "A response that is wanted whole is whole when it is handed over.") { visit in
            var request = visit.request("/bytes/70000")
            request.responseMode = .collected(upTo: 70_000)
            let response = try await visit.transport.exchange(request)
            let count = response.body.collectedBytes?.readableBytes
            try expect(count == 70_000, "collectedBytes had \(count.map { "\($0) bytes" } ?? "nothing"), not 70000")
        },
        Self("length", "The length that a body promises is the number of its bytes.") { visit in
            for target in ["/bytes/70000", "/trailers"] {
                let body = try await visit.transport.exchange(visit.streamed(target)).body
                guard let promised = body.expectedLength else { continue }
                let count = try await body.collect(upTo: 100_000).readableBytes
                try expect(promised == Int64(count), "a body of \(count) bytes promised \(promised)")
            }
        },
        Self("stream", "A stream gives no empty buffers, and its end stays the end when it is asked again.") { visit in
            let response = try await visit.transport.exchange(visit.streamed("/bytes/300000"))
            var iterator = response.body.makeAsyncIterator()
            while let buffer = try await iterator.next() {
                try expect(buffer.readableBytes > 0, "a buffer of a stream was empty")
            }
            do {
                let more = try await iterator.next()
                try expect(more == nil, "after its end a stream gave \(more?.readableBytes ?? 0) bytes")
            } catch let error as ConformanceComplaint {
                throw error
            } catch {
                throw ConformanceComplaint("after its end a stream threw \(error)")
            }
        },
        Self("trailers", "Trailer fields are there at the end of the body.") { visit in
            for mode in [TransportRequest.ResponseMode.collected(upTo: 100), .streamed] {
                var request = visit.request("/trailers")
                request.responseMode = mode
                let body = try await visit.transport.exchange(request).body
                _ = try await body.collect(upTo: 100)
                let value = body.trailers?[ConformanceSite.checksum] ?? "none"
                try expect(value == "abc", "of a body that was \(mode) the trailer field was \(value), not abc")
            }
        },
        Self("dropped-body", "A body may be dropped before its end, and the transport goes on.") { visit in
            for _ in 0..<3 {
                let body = try await visit.transport.exchange(visit.streamed("/bytes/3000000")).body
                var iterator = body.makeAsyncIterator()
                let first = try await iterator.next()
                try expect(first?.readableBytes ?? 0 > 0, "a body of 3,000,000 bytes had no first buffer")
            }
            try await visit.stillWorks(after: "three bodies that were dropped")
        },
    ]
}

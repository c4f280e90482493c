// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

/// Digests of bodies from asynchronous sequences, which are read before they are sent.
@Suite(.timeLimit(.minutes(1))) struct AsyncDigestTests {
    enum Digest: CaseIterable {
        case content, authentication

        func compute(_ body: RequestBody) async throws -> String? {
            switch self {
            case .authentication: try await body.digest(.sha256)
            case .content:
                try await Request(method: .post, url: Peer.url("http://h/"), body: body).addingContentDigest()
                    .headers[.contentDigest]
            }
        }
    }

    @Test(.bug(id: "F372"), arguments: Digest.allCases)
    func `more digests than processors wait for their sequences`(_ digest: Digest) async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let streams = (0..<count).map { _ in AsyncStream.makeStream(of: Data.self) }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let expected = try await digest.compute(.data(Data("helloworld".utf8)))
        try await withThrowingTaskGroup(of: String?.self) { group in
            for (stream, _) in streams {
                let pieces = stream.map { piece in
                    begin.yield()
                    return piece
                }
                group.addTask { try await digest.compute(.stream(pieces, isReplayable: true)) }
            }
            for (_, writer) in streams { writer.yield(Data("hello".utf8)) }
            var beginnings = begun.makeAsyncIterator()
            for _ in 0..<count { await beginnings.next() }
            for (_, writer) in streams.reversed() {
                writer.yield(Data("world".utf8))
                writer.finish()
            }
            for try await value in group { #expect(value == expected) }
        }
    }

    @Test(.bug(id: "F441"), arguments: Digest.allCases)
    func `a digest is whole with the declared bytes of its sequence`(_ digest: Digest) async throws {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        defer { writer.finish() }
        writer.yield(Data("hello".utf8))
        writer.yield(Data("world".utf8))
        let value = try await digest.compute(.stream(stream, length: 10, isReplayable: true))
        #expect(try await value == digest.compute(.data(Data("helloworld".utf8))))
    }

    @Test(.bug(id: "F372"), arguments: Digest.allCases)
    func `a digest ends with its task, and so does the sequence`(_ digest: Digest) async throws {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        writer.onTermination = { _ in end.finish() }
        let task = Task { try await digest.compute(.stream(stream, isReplayable: true)) }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // A sequence that can be read again is kept by its body.
        writer.finish()
        for await _ in ended {}
    }
}

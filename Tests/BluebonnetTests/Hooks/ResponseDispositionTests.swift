// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

/// 1.3.6: `dataTaskDidReceiveResponse` and `dataTaskDidBecomeDownloadTask`.
@Suite(.timeLimit(.minutes(1))) struct ResponseDispositionTests {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func run(
        _ peer: Peer,
        _ answer: Peer.Answer,
        _ disposition: @escaping @Sendable (Response) async throws -> ResponseDisposition
    ) async throws -> DeliveredResponse<Data> {
        try await peer.answering(answer) { session, url in
            let task = session.dataTask(with: Request(url: url), serializer: .data, disposition: disposition)
            task.resume()
            let result = await Result { try await task.value }
            #expect(session.admission.counts == (0, 0))
            return try result.get()
        }
    }

    @Test(arguments: Peer.allCases)
    func `1.3.6 an allowed response becomes a value, decided on its head`(_ peer: Peer) async throws {
        let delivered = try await self.run(peer, .init(status: 200, byteCount: 100_000)) { response in
            #expect(response.status == .ok && response.body.isEmpty)
            return .allow
        }
        guard case .value(let data) = delivered else { return #expect(Bool(false), "no value") }
        #expect(data == Data(PatternBytes.bytes(100_000)))
    }

    @Test(arguments: Peer.allCases)
    func `1.3.6 a response that is refused cancels its task and closes its connection`(_ peer: Peer) async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await self.run(peer, .init(byteCount: 100_000, stallsAfter: 10)) { _ in .cancel }
        }
    }

    @Test(arguments: Peer.allCases)
    func `1.3.6 a response that has begun becomes a download`(_ peer: Peer) async throws {
        let destination = self.directory.file("sub/file")
        let delivered = try await self.run(peer, .init(byteCount: 300_000)) { _ in
            .becomeDownload(to: destination, destinationOptions: .createDirectories)
        }
        guard case .file(let file) = delivered else { return #expect(Bool(false), "no file") }
        #expect(file.url == destination && file.byteCount == 300_000 && file.response.status == .ok)
        #expect(try self.directory.contents("sub/file") == Data(PatternBytes.bytes(300_000)))
        #expect(try self.directory.names == ["sub"])
    }

    @Test(arguments: Peer.allCases)
    func `1.3.6 a response that breaks leaves no file`(_ peer: Peer) async throws {
        let destination = self.directory.file("file")
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.run(peer, .init(byteCount: 300_000, breaksAfter: 200_000)) { _ in
                .becomeDownload(to: destination)
            }
        }
        #expect(error?.code == .connectionClosed)
        #expect(try self.directory.names.isEmpty)
    }

    @Test(arguments: Peer.allCases)
    func `1.3.6 a file that is there is kept, and the response given up`(_ peer: Peer) async throws {
        let destination = self.directory.file("file")
        try Data("old".utf8).write(to: destination)
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.run(peer, .init(byteCount: 100_000, stallsAfter: 10)) { _ in
                .becomeDownload(to: destination)
            }
        }
        #expect(error?.code == .destinationExists)
        #expect(try self.directory.contents("file") == Data("old".utf8))
    }

    @Test(.bug(id: "F506")) func `1.3.6 what the decision throws is in the error of the task`() async throws {
        struct Refusal: Error {}
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.run(.function, .init(byteCount: 1)) { _ in throw Refusal() }
        }
        #expect(error?.code == .interceptorFailed && error?.underlying is Refusal)
        #expect(error?.reason.contains("the function that decides about the response") == true)
        #expect(error?.reason.contains("interceptor") == false)
    }

    @Test(.bug(id: "F506")) func `1.3.6 a session error and a cancellation of the decision are thrown as they are`()
        async throws
    {
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.run(.function, .init(byteCount: 1)) { _ in
                throw SessionError(.invalidRequest, reason: "mine")
            }
        }
        #expect(error?.code == .invalidRequest && error?.reason == "mine")
        await #expect(throws: CancellationError.self) {
            _ = try await self.run(.function, .init(byteCount: 1)) { _ in throw CancellationError() }
        }
    }

    @Test func `1.3.6 without a task the head is looked at, and the body saved`() async throws {
        let destination = self.directory.file("file")
        let saved = try await Peer.server.answering(.init(byteCount: 70_000)) { session, url in
            let response = try await session.send(Request(url: url))
            #expect(response.status == .ok)
            return try await response.save(to: destination, destinationOptions: .overwrite)
        }
        #expect(saved.byteCount == 70_000)
        #expect(try self.directory.contents("file") == Data(PatternBytes.bytes(70_000)))
    }

    @Test(.bug(id: "F205"), arguments: Peer.allCases)
    func `after a part of the body has been read, the rest of it is saved`(_ peer: Peer) async throws {
        let destination = self.directory.file("file")
        let (read, saved) = try await peer.answering(.init(byteCount: 300_000)) { session, url in
            let response = try await session.send(Request(url: url))
            var iterator = response.body.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            return (first.readableBytes, try await response.save(to: destination))
        }
        #expect(read > 0 && saved.byteCount == Int64(300_000 - read))
        #expect(try self.directory.contents("file") == Data(PatternBytes.bytes(300_000)[read...]))
    }

    @Test(.bug(id: "F205"), arguments: Peer.allCases)
    func `a rest that breaks leaves no file`(_ peer: Peer) async throws {
        let error = try await peer.answering(.init(byteCount: 300_000, breaksAfter: 200_000)) { session, url in
            let response = try await session.send(Request(url: url))
            var iterator = response.body.makeAsyncIterator()
            _ = try #require(try await iterator.next())
            return await #expect(throws: SessionError.self) {
                _ = try await response.save(to: self.directory.file("file"))
            }
        }
        #expect(error?.code == .connectionClosed)
        #expect(try self.directory.names.isEmpty)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

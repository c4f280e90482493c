// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1))) struct TLSContextCacheTests {
    private static let variants: [TLSContextCache.Variant] = [.init(), .init(isHTTP1Only: true)]

    private func cache(_ options: TLSOptions = TLSOptions()) -> TLSContextCache {
        TLSContextCache(options: options, protocols: ["h2", "http/1.1"])
    }

    /// What many get who ask for a context of each kind at a time, from several event loops.
    private func ask(_ cache: TLSContextCache) async -> [[Result<ObjectIdentifier, any Error>]] {
        let loops = MultiThreadedEventLoopGroup.singleton
        let futures = Self.variants.map { variant in (0..<20).map { _ in cache.context(variant, on: loops.next()) } }
        var all: [[Result<ObjectIdentifier, any Error>]] = []
        for futures in futures {
            var results: [Result<ObjectIdentifier, any Error>] = []
            for future in futures {
                do { results.append(.success(ObjectIdentifier(try await future.get()))) } catch {
                    results.append(.failure(error))
                }
            }
            all.append(results)
        }
        return all
    }

    @Test func `a context is made once for all who want one of its kind`() async throws {
        let cache = self.cache()
        #expect(cache.cached(.init()) == nil)
        let contexts = try await self.ask(cache).map { try Set($0.map { try $0.get() }) }
        #expect(contexts.map(\.count) == [1, 1])
        #expect(contexts[0] != contexts[1])
        #expect(cache.cached(.init()).map { ObjectIdentifier($0) } == contexts[0].first)
        #expect(try await self.ask(cache).map { try Set($0.map { try $0.get() }) } == contexts)
    }

    @Test(.bug(id: "F782")) func `files are read once for the contexts of every kind, and again only after a fault`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (roots, identity) = (folder.appending(path: "roots.pem"), folder.appending(path: "client.pem"))
        var options = TLSOptions()
        options.additionalRoots = [.pemFile(roots.path())]
        options.clientIdentity = .pem(certificates: .file(identity.path()), key: .file(identity.path()))
        let cache = self.cache(options)
        #expect(throws: TransportError.self) { try cache.make(.init()) }
        let authority = try CertificateAuthority.shared()
        let client = try authority.makeClientIdentity()
        try Data(authority.pem).write(to: roots)
        try Data(client.certificatePEM + client.privateKeyPEM).write(to: identity)
        _ = try cache.make(.init())
        for file in [roots, identity] { try FileManager.default.removeItem(at: file) }
        for verification in [TLSContextCache.Variant.Verification.chain, .nothing] {
            _ = try cache.make(.init(verification: verification, isHTTP1Only: true))
        }
    }

    @Test func `a fault reaches all who wait, and the next one tries again`() async throws {
        var options = TLSOptions()
        options.minimumVersion = .tls13
        options.maximumVersion = .tls12
        let cache = self.cache(options)
        for _ in 0..<2 {
            for result in await self.ask(cache).joined() {
                let error = #expect(throws: TransportError.self) { try result.get() }
                #expect(error?.code == .tlsFailed)
            }
        }
        #expect(cache.cached(.init()) == nil)
    }
}

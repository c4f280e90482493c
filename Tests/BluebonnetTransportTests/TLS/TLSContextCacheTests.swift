// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

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

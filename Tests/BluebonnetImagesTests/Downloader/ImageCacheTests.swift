// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct ImageCacheTests {
    /// A picture that takes a number of bytes.
    private func image(_ byteCount: Int) throws -> Image {
        Image(pixels: try ImagePixels(width: byteCount / 4, height: 1, bytes: [UInt8](repeating: 0, count: byteCount)))
    }

    @Test func `1.7 the memory cache holds 100 MiB and is purged to 60`() {
        #expect(ImageCache().capacity == 100 << 20)
        #expect(ImageCache().preferredByteCount == 60 << 20)
    }

    @Test func `1.7 what was not used for the longest time is purged first`() throws {
        let cache = ImageCache(capacity: 1_000, preferredByteCount: 600)
        let keys = (0..<6).map { ImageCache.Key("\($0)") }
        for key in keys[..<5] { cache.add(try self.image(200), for: key) }
        #expect(cache.byteCount == 1_000)
        #expect(cache.count == 5)
        // The first becomes the one that was used last.
        #expect(cache.image(for: keys[0]) != nil)
        cache.add(try self.image(4), for: keys[5])
        #expect(cache.byteCount == 404)
        #expect(keys.map { cache.image(for: $0) != nil } == [true, false, false, false, true, true])
    }

    @Test func `a picture replaces the one of the same key, and one larger than the cache is not kept`() throws {
        let cache = ImageCache(capacity: 100, preferredByteCount: 1_000)
        #expect(cache.preferredByteCount == 100)
        cache.add(try self.image(40), for: .init("a"))
        cache.add(try self.image(80), for: .init("a"))
        #expect(cache.byteCount == 80)
        cache.add(try self.image(104), for: .init("a"))
        #expect(cache.count == 0)
        cache.add(try self.image(8), for: .init("b"))
        #expect(cache.remove(.init("b")))
        #expect(!cache.remove(.init("b")))
        cache.add(try self.image(8), for: .init("c"))
        cache.removeAll()
        #expect(cache.byteCount == 0)
        #expect(cache.image(for: .init("c")) == nil)
    }

    @Test func `a key is the URL, the header fields, and an identifier`() throws {
        let url = try #require(URL(string: "http://h/a"))
        let other = try #require(URL(string: "http://h/b"))
        let plain = ImageCache.Key(Request(url: url))
        #expect(plain == ImageCache.Key(Request(url: url)))
        #expect(plain != ImageCache.Key(Request(url: other)))
        #expect(plain != ImageCache.Key(Request(url: url), identifier: "round"))
        #expect(plain != ImageCache.Key(Request(url: url, headers: [.authorization: "Bearer a"])))
        #expect(plain != ImageCache.Key("http://h/a"))
    }
}

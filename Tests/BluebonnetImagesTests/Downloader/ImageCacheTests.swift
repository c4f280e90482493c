// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import BluebonnetSerialization
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite struct ImageCacheTests {
    /// A picture that takes a number of bytes.
    private func image(_ byteCount: Int) throws -> Image {
        Image(pixels: try ImagePixels(width: byteCount / 4, height: 1, bytes: [UInt8](repeating: 0, count: byteCount)))
    }

    /// What such a picture counts with a key of one letter.
    private func cost(_ byteCount: Int) -> Int { byteCount + 2 + 512 }

    @Test func `1.7 the memory cache holds 100 MiB and is purged to 60`() {
        #expect(ImageCache().maximumByteCount == 100 << 20)
        #expect(ImageCache().preferredByteCount == 60 << 20)
    }

    @Test func `1.7 what was not used for the longest time is purged first`() throws {
        let cache = ImageCache(maximumByteCount: 5 * self.cost(200), preferredByteCount: 3 * self.cost(200))
        let keys = (0..<6).map { ImageCache.Key("\($0)") }
        for key in keys[..<5] { cache.add(try self.image(200), for: key) }
        #expect(cache.byteCount == cache.maximumByteCount)
        #expect(cache.count == 5)
        // The first becomes the one that was used last.
        #expect(cache.image(for: keys[0]) != nil)
        cache.add(try self.image(4), for: keys[5])
        #expect(cache.byteCount == 2 * self.cost(200) + self.cost(4))
        #expect(keys.map { cache.image(for: $0) != nil } == [true, false, false, false, true, true])
    }

    @Test func `a picture replaces the one of the same key, and one larger than the cache is not kept`() throws {
        let cache = ImageCache(maximumByteCount: self.cost(100), preferredByteCount: 1_000)
        #expect(cache.preferredByteCount == cache.maximumByteCount)
        cache.add(try self.image(40), for: .init("a"))
        cache.add(try self.image(80), for: .init("a"))
        #expect(cache.byteCount == self.cost(80))
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

    @Test(.bug(id: "F207")) func `pictures that take next to nothing count with what it takes to keep them`() throws {
        let cache = ImageCache(maximumByteCount: 1 << 20, preferredByteCount: 1 << 19)
        let picture = try self.image(4)
        for number in 0..<20_000 { cache.add(picture, for: .init("\(number)")) }
        #expect(cache.count <= 2_048 && cache.byteCount <= cache.maximumByteCount)
        cache.add(picture, for: .init(String(repeating: "a", count: cache.maximumByteCount)))
        #expect(cache.count <= 2_048, "a key counts, too")
        cache.removeAll()
        #expect(cache.byteCount == 0)
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

    @Test(.bug(id: "F175")) func `header fields that differ in a byte that is not UTF-8 make different keys`() throws {
        let url = try #require(URL(string: "http://h/a"))
        let keys = [UInt8(0xFE), 0xFF].map { byte in
            ImageCache.Key(Request(url: url, headers: HTTPFields([HTTPField(name: .cookie, value: [0x61, byte])])))
        }
        #expect(keys[0] != keys[1])
    }

    @Test(.bug(id: "F176"), arguments: [(ImageLimits().keptByteCount, 4), (2_500, 2), (1_023, 0)])
    func `an animation counts with all frames that it may keep`(_ keptByteCount: Int, _ frames: Int) async throws {
        let data = try ImageMagick.make(["-size", "16x16", "xc:red", "xc:blue", "xc:green", "xc:black"], as: "gif")
        let image = try Image(data, limits: ImageLimits(keptByteCount: keptByteCount))
        #expect(image.frames.count == 4)
        #expect(image.largestByteCount == data.count + frames * 1_024)
        guard frames > 0 else { return }
        _ = try await image.pixels(frames: 0..<frames)
        #expect(image.largestByteCount == data.count + frames * 1_024)
    }

    struct Removal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var run: @Sendable (ImageCache, Image) -> Void
    }

    @Test(
        .bug(id: "F177"),
        arguments: [
            Removal(testDescription: "removed") { cache, _ in cache.remove(.init("a")) },
            Removal(testDescription: "removed with all") { cache, _ in cache.removeAll() },
            Removal(testDescription: "replaced") { cache, other in cache.add(other, for: .init("a")) },
            Removal(testDescription: "purged") { cache, other in cache.add(other, for: .init("b")) },
        ]
    )
    func `a picture that leaves the cache is released outside its lock`(_ removal: Removal) throws {
        let cache = ImageCache(maximumByteCount: self.cost(60) + self.cost(40), preferredByteCount: self.cost(90))
        let (hasAnswered, isReleased) = (Flag(), Flag())
        func decoder() -> StubImageDecoder {
            let question = LastQuestion(cache, hasAnswered: hasAnswered, isReleased: isReleased)
            return StubImageDecoder { format in
                withExtendedLifetime(question) { ImageHeader(format: format, width: 4, height: 4) }
            }
        }
        cache.add(try Image(Data([1]), as: .png, decoder: decoder()), for: .init("a"))
        #expect(cache.count == 1 && !isReleased.isRaised)
        removal.run(cache, try self.image(40))
        #expect(isReleased.isRaised)
        #expect(hasAnswered.isRaised)
    }
}

/// What a decoder of a program asks the cache when it is released.
private final class LastQuestion: Sendable {
    private let cache: ImageCache
    private let hasAnswered: Flag
    private let isReleased: Flag

    init(_ cache: ImageCache, hasAnswered: Flag, isReleased: Flag) {
        (self.cache, self.hasAnswered, self.isReleased) = (cache, hasAnswered, isReleased)
    }

    deinit {
        // On another thread, and for a limited time, so that the test fails instead of hanging.
        let (cache, answer) = (self.cache, Flag())
        Thread.detachNewThread {
            _ = cache.count
            answer.raise()
        }
        let deadline = ContinuousClock.now + .seconds(3)
        while !answer.isRaised, ContinuousClock.now < deadline {}
        if answer.isRaised { self.hasAnswered.raise() }
        self.isReleased.raise()
    }
}

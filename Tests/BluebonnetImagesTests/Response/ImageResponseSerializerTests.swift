// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetImages

/// One of AFNetworking's rules for pictures, with a file as a decoder sees it.
struct ImageRule: Decodable, Sendable, CustomTestStringConvertible {
    struct File: Decodable, Sendable {
        var format: String
        var width: Int?
        var height: Int?
        var bits: Int?
        var frames: Int?
        var hasAlpha: Bool?
        var colorSpace: ImageColorSpace?

        var header: ImageHeader {
            ImageHeader(
                format: ImageFormat(self.format),
                width: self.width ?? 4,
                height: self.height ?? 4,
                bitsPerComponent: self.bits ?? 8,
                colorSpace: self.colorSpace ?? .rgb,
                hasAlpha: self.hasAlpha ?? false,
                frames: Array(repeating: ImageFrame(), count: self.frames ?? 1)
            )
        }
    }

    var name: String
    var type: String?
    var status: Int?
    var inflates: Bool?
    var largest: Int?
    var file: File
    var reads: [String]
    var isInflated: Bool?
    var layout: PixelLayout?
    var error: String?
    var testDescription: String { self.name }
}

@Suite(.timeLimit(.minutes(2))) struct ImageResponseSerializerTests {
    private static let rules: [ImageRule] = (try? Fixture.load("image-rules")) ?? []

    @Test func `the table of rules is there`() { #expect(Self.rules.count > 20) }

    @Test(arguments: Self.rules)
    func `1.2.6 pictures follow the rules of AFNetworking`(_ rule: ImageRule) async throws {
        let format = ImageFormat(rule.file.format)
        let decoder = StubImageDecoder(detects: format) { asked throws(ImageError) in
            guard asked == format else { throw ImageError(.malformed, reason: "another format") }
            return rule.file.header
        }
        var serializer = ImageResponseSerializer(imageScale: 3, decoder: decoder)
        if let inflates = rule.inflates { serializer.automaticallyInflates = inflates }
        if let largest = rule.largest { serializer.largestInflatedPixelCount = largest }
        var headers = HTTPFields()
        if let type = rule.type { headers[.contentType] = type }
        let response = Response(status: .init(code: rule.status ?? 200), headers: headers, body: Data([1]))
        do {
            let image = try serializer.serialize(response)
            #expect(rule.error == nil)
            #expect(image.isInflated == rule.isInflated)
            #expect(image.header == rule.file.header)
            #expect(image.header.naturalLayout == rule.layout)
            #expect(image.scale == 3)
            #expect(decoder.recorded == rule.reads)
            // Inflated or not, the pixels come in the layout of inflation.
            if rule.file.width == nil { #expect(try await image.pixels().layout == rule.layout) }
        } catch let error as SerializationError {
            #expect(error.code.description == rule.error)
            #expect(decoder.recorded == rule.reads)
        }
    }

    @Test(
        .bug(id: "F767"),
        arguments: [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp",
            "image/x-xbitmap",
            "image/x-win-bitmap", "image/vnd.microsoft.icon", "image/webp", "image/avif", "image/heic",
        ]
    )
    func `1.2.6 the ten content types of AFNetworking are accepted, and those that came after it`(_ type: String) throws
    {
        let data = try ImageMagick.make(ImageMagick.photo, as: "png24")
        let response = Response(status: .ok, headers: [.contentType: type], body: data)
        let image = try ImageResponseSerializer.image.serialize(response)
        #expect(image.format == .png)
        #expect(image.isInflated)
        #expect(ImageResponseSerializer.defaultContentTypes.count == 14)
    }

    @Test(arguments: [
        "image/png", "image/jpeg", "image/gif", "image/bmp", "image/x-xbitmap", "image/webp", "image/heic",
    ])
    func `1.2.6 garbage is malformed, never nothing`(_ type: String) throws {
        for body in [
            Data("not a picture".utf8), Data(repeating: 0, count: 5_000),
            Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]),
        ] {
            let response = Response(status: .ok, headers: [.contentType: type], body: body)
            let error = #expect(throws: SerializationError.self) { try ImageResponseSerializer().serialize(response) }
            #expect(error?.code == .malformedBody)
            #expect((error?.underlying as? ImageError)?.code == .malformed)
            #expect(error?.response?.body == body)
        }
    }

    @Test func `a small picture whose data are cut short is malformed`() throws {
        let data = try ImageMagick.make(ImageMagick.photo, as: "png24")
        let response = Response(status: .ok, headers: [.contentType: "image/png"], body: data.prefix(data.count / 2))
        #expect(throws: SerializationError(.malformedBody, reason: "")) {
            try ImageResponseSerializer().serialize(response)
        }
    }

    @Test func `an empty body and a picture beyond the limits are errors of their own`() throws {
        let empty = Response(status: .ok, headers: [.contentType: "image/png"])
        #expect(throws: SerializationError(.emptyBody, reason: "")) { try ImageResponseSerializer().serialize(empty) }
        let data = try ImageMagick.make(ImageMagick.photo, as: "png24")
        let response = Response(status: .ok, headers: [.contentType: "image/png"], body: data)
        let strict = ImageResponseSerializer(limits: ImageLimits(pixelCount: 100))
        #expect(throws: SerializationError(.limitExceeded, reason: "")) { try strict.serialize(response) }
    }

    @Test func `a format that cannot be decoded is told apart from garbage`() throws {
        let decoder = StubImageDecoder { _ throws(ImageError) in throw ImageError(.unsupported, reason: "not linked") }
        let response = Response(status: .ok, headers: [.contentType: "image/png"], body: Data([1]))
        #expect(throws: SerializationError(.decodingFailed, reason: "")) {
            try ImageResponseSerializer(decoder: decoder).serialize(response)
        }
    }

    @Test func `1.2.6 scale and inflation are archived`() throws {
        var serializer = ImageResponseSerializer(
            imageScale: 2,
            automaticallyInflates: false,
            largestInflatedPixelCount: 7
        )
        serializer.limits.frameCount = 5
        serializer.validation.acceptableStatusCodes = [200]
        let copy = try JSONDecoder().decode(ImageResponseSerializer.self, from: JSONEncoder().encode(serializer))
        #expect(copy.imageScale == 2)
        #expect(!copy.automaticallyInflates)
        #expect(copy.largestInflatedPixelCount == 7)
        #expect(copy.limits == serializer.limits)
        #expect(copy.validation == serializer.validation)
    }

    @Test func `the orientation of a picture survives its inflation`() async throws {
        let data = try ImageMagick.make(ImageMagick.photo + ["-orient", "RightTop"], as: "tiff")
        let response = Response(status: .ok, headers: [.contentType: "image/tiff"], body: data)
        let image = try ImageResponseSerializer(imageScale: 2).serialize(response)
        #expect(image.isInflated)
        #expect(image.orientation == .right)
        #expect(image.scale == 2)
    }
}

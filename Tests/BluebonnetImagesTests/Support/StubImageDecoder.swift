// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Synchronization

/// Gives pictures of a size without looking at bytes, and remembers what it was asked for.
final class StubImageDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.png, .jpeg]
    private let answer: @Sendable (ImageFormat) throws(ImageError) -> ImageHeader
    private let detected: ImageFormat?
    private let work: @Sendable () throws -> Void
    private let calls = Mutex<[String]>([])

    init(
        detects detected: ImageFormat? = .png,
        work: @escaping @Sendable () throws -> Void = {},
        answer: @escaping @Sendable (ImageFormat) throws(ImageError) -> ImageHeader
    ) {
        self.detected = detected
        self.work = work
        self.answer = answer
    }

    /// What was called: `header png`, `pixels png`.
    var recorded: [String] { self.calls.withLock { $0 } }

    func format(of data: Data) -> ImageFormat? { self.detected }

    func header(of data: Data, as format: ImageFormat, limits: ImageLimits) throws(ImageError) -> ImageHeader {
        self.calls.withLock { $0.append("header \(format)") }
        return try self.answer(format)
    }

    func pixels(
        of data: Data,
        header: ImageHeader,
        request: ImageDecodingRequest,
        limits: ImageLimits
    ) throws -> [ImagePixels] {
        self.calls.withLock { $0.append("pixels \(header.format)") }
        try self.work()
        let bytes = [UInt8](repeating: 100, count: header.width * header.height * 4)
        return try request.frames.map { _ in try ImagePixels(width: header.width, height: header.height, bytes: bytes) }
    }
}

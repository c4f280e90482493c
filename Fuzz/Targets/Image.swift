// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation

private let limits = ImageLimits(byteCount: 1 << 16, pixelCount: 40_000, frameCount: 16, decodedByteCount: 1 << 20)
private let decoder = SystemImageDecoder()

/// Checks that any bytes are a picture of the declared size or an error, and that a thumbnail has the requested size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(UnsafeRawBufferPointer(start: start, count: count))
    guard let format = decoder.format(of: data), let header = try? decoder.header(of: data, as: format, limits: limits)
    else {
        return 0
    }
    for side in [nil, 7] {
        let request = ImageDecodingRequest(frames: 0..<min(header.frames.count, 3), longestSide: side)
        let size = request.size(width: header.width, height: header.height)
        for pixels in (try? decoder.pixels(of: data, header: header, request: request, limits: limits)) ?? [] {
            guard (pixels.width, pixels.height) == size, pixels.bytes.count == size.width * size.height * 4 else {
                fatalError("\(pixels.width) × \(pixels.height) pixels in place of \(size)")
            }
        }
    }
    return 0
}

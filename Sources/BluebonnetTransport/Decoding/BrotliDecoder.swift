// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if Brotli
import CBrotli

/// Decodes Brotli (RFC 7932) with the system's library; the window is limited to 16 MiB.
final class BrotliDecoder: ContentDecoder {
    private let state: OpaquePointer?
    private(set) var isComplete = false

    init() {
        self.state = BrotliDecoderCreateInstance(nil, nil, nil)
    }

    deinit {
        if let state { BrotliDecoderDestroyInstance(state) }
    }

    func decode(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress {
        guard let state else { throw .undecodable("Brotli could not be started") }
        guard !self.isComplete else {
            guard source.isEmpty else { throw .bytesBehindBody }
            return DecodingProgress()
        }
        var inputCount = source.count
        var input = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var room = target.count
        var output = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        switch BrotliDecoderDecompressStream(state, &inputCount, &input, &room, &output, nil) {
        case BROTLI_DECODER_RESULT_SUCCESS: self.isComplete = true
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        default: throw .corruptBody
        }
        return DecodingProgress(readCount: source.count - inputCount, writtenCount: target.count - room)
    }
}
#endif

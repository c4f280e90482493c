// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if Zstandard
import CZstandard

/// Decodes Zstandard (RFC 8878) with the system's library; the data may consist of several frames.
final class ZstandardDecoder: ContentDecoder {
    /// 8 MiB: a server must not require a larger window (RFC 9659 section 3).
    private static let windowLog: CInt = 23

    private static let largeWindow = TransportError.undecodable(
        "the compressed response needs a Zstandard window of more than the 8 MiB that HTTP allows (RFC 9659)"
    )

    private let context: OpaquePointer?
    private(set) var isComplete = false

    init() {
        let context = ZSTD_createDCtx()
        if let context { ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog) }
        self.context = context
    }

    deinit {
        ZSTD_freeDCtx(self.context)
    }

    func decode(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress {
        guard let context else { throw .undecodable("Zstandard could not be started") }
        // Called without input after the end of a frame, the decoder would start to expect the next frame.
        if source.isEmpty, self.isComplete { return DecodingProgress() }
        var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        let result = ZSTD_decompressStream(context, &output, &input)
        guard ZSTD_isError(result) == 0 else {
            // The response is intact, and its server must be configured otherwise.
            throw ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
                ? Self.largeWindow : .corruptBody
        }
        // Zero means that a frame is complete and all of it has been written.
        self.isComplete = result == 0
        return DecodingProgress(readCount: input.pos, writtenCount: output.pos)
    }
}
#endif

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if Zstandard
import CZstandard

/// Encodes bytes as one Zstandard frame (RFC 8878) with the system's library at its default level.
///
/// At that level its window is 2 MiB, below the 8 MiB that every decoder must support (RFC 9659 section 3).
package final class ZstandardEncoder: ContentEncoder {
    private let context = ZSTD_createCCtx()

    package private(set) var isComplete = false

    package init() {}

    deinit {
        ZSTD_freeCCtx(self.context)
    }

    package func encode(
        _ source: UnsafeRawBufferPointer,
        _ mode: EncodingMode,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> EncodingProgress {
        guard let context else { throw .unencodable("Zstandard") }
        // After the end of the frame the library would start another one.
        guard !self.isComplete else { return EncodingProgress() }
        var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        let left = ZSTD_compressStream2(context, &output, &input, mode.directive)
        guard ZSTD_isError(left) == 0 else { throw .unencodable("Zstandard") }
        // Zero means that the whole frame, or all of the bytes so far, have been written.
        self.isComplete = mode == .finishing && left == 0
        return EncodingProgress(readCount: input.pos, writtenCount: output.pos, isFlushed: left == 0)
    }
}

extension EncodingMode {
    fileprivate var directive: ZSTD_EndDirective {
        switch self {
        case .keeping: ZSTD_e_continue
        case .flushing: ZSTD_e_flush
        case .finishing: ZSTD_e_end
        }
    }
}
#endif

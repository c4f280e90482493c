// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib

@testable import BluebonnetTransport

#if Brotli
import CBrotliEncoder
#endif
#if Zstandard
import CZstandard
#endif

/// The forms in which bodies come encoded, each made by the library that defines it.
enum EncodedFormat: CaseIterable, Sendable {
    case gzip
    case zlib
    /// Deflate without the frame that it should have.
    case raw
    #if Brotli
    case brotli
    #endif
    #if Zstandard
    case zstandard
    #endif

    /// A text that compresses well.
    static let text = Array(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 500).utf8)

    var coding: ContentCoding {
        switch self {
        case .gzip: .gzip
        case .zlib, .raw: .deflate
        #if Brotli
        case .brotli: .brotli
        #endif
        #if Zstandard
        case .zstandard: .zstandard
        #endif
        }
    }

    var name: String { self.coding.name }

    /// Encodes bytes.
    func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip: Self.deflate(bytes, windowBits: 31)
        case .zlib: Self.deflate(bytes, windowBits: 15)
        case .raw: Self.deflate(bytes, windowBits: -15)
        #if Brotli
        case .brotli: Self.brotli(bytes)
        #endif
        #if Zstandard
        case .zstandard: Self.zstandard(bytes)
        #endif
        }
    }

    private static func deflate(_ bytes: [UInt8], windowBits: CInt) -> [UInt8] {
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        defer { deflateEnd(&stream) }
        var input = bytes
        return [UInt8](unsafeUninitializedCapacity: bytes.count + 1_000) { target, count in
            input.withUnsafeMutableBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                CZlib.deflate(&stream, Z_FINISH)
            }
            count = target.count - Int(stream.avail_out)
        }
    }

    #if Brotli
    private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 1_000) { target, count in
            count = target.count
            BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, target.baseAddress)
        }
    }
    #endif

    #if Zstandard
    private static func zstandard(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { target, count in
            count = ZSTD_compress(target.baseAddress, target.count, bytes, bytes.count, 3)
        }
    }

    /// Encodes bytes with a window of two to the given power, in pieces, so that the library does not know their number.
    static func zstandard(_ bytes: [UInt8], windowLog: CInt) -> [UInt8] {
        let context = ZSTD_createCCtx()
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
        return [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count) + 100) { target, count in
            var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
            bytes.withUnsafeBytes { bytes in
                var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue)
            }
            var nothing = ZSTD_inBuffer()
            ZSTD_compressStream2(context, &output, &nothing, ZSTD_e_end)
            count = output.pos
        }
    }
    #endif
}

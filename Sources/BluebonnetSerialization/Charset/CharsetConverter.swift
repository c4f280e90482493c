// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Decodes the encodings that the library has no tables for, with the C library's `iconv`.
struct CharsetConverter: ~Copyable {
    private let descriptor: iconv_t

    /// Opens a converter to UTF-8; nil if the C library does not support this encoding.
    init?(_ charset: Charset) {
        for name in Self.names(of: charset) ?? [] {
            // On failure, `iconv_open` returns a pointer with all bits set.
            guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else { continue }
            self.descriptor = descriptor
            return
        }
        return nil
    }

    deinit {
        _ = iconv_close(self.descriptor)
    }

    /// Decodes bytes; returns nil if they are invalid, or end within a character.
    ///
    /// The output grows by 32 KiB at a time.
    func decode(_ bytes: UnsafeRawBufferPointer) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1_024, alignment: 16)
        defer { room.deallocate() }
        // `iconv` requires a mutable pointer to bytes that it does not change.
        var input = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var inputCount = bytes.count
        while inputCount > 0 {
            guard self.step(&input, &inputCount, into: room, appendingTo: &output) else { return nil }
        }
        // A stateful encoding may still hold a character.
        var none: UnsafeMutablePointer<CChar>?
        var zero = 0
        guard self.step(&none, &zero, into: room, appendingTo: &output) else { return nil }
        return String(validating: output, as: UTF8.self)
    }

    /// Converts until the input ends or the output is full.
    ///
    /// - Returns: False if the input is not valid.
    private func step(
        _ input: inout UnsafeMutablePointer<CChar>?,
        _ inputCount: inout Int,
        into room: UnsafeMutableRawBufferPointer,
        appendingTo output: inout [UInt8]
    ) -> Bool {
        var target = room.baseAddress?.assumingMemoryBound(to: CChar.self)
        var targetCount = room.count
        let result = iconv(self.descriptor, &input, &inputCount, &target, &targetCount)
        let isFull = result == -1 && errno == E2BIG
        output.append(contentsOf: room[..<(room.count - targetCount)])
        return result != -1 || isFull && targetCount < room.count
    }

    /// Returns the C library's names of an encoding, in order of preference; nil for encodings that the library decodes
    /// itself.
    ///
    /// For some encodings the WHATWG name means Microsoft's superset, which C libraries know by another name.
    static func names(of charset: Charset) -> [String]? {
        switch charset {
        case .utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian, .ascii,
            .iso8859Part1, .windows1252:
            nil
        case .shiftJIS: ["CP932", "SHIFT_JIS"]
        case .eucJP: ["EUC-JP-MS", "EUC-JP"]
        case .gbk: ["GB18030", "GBK"]
        case .big5: ["BIG5-HKSCS", "BIG5"]
        case .eucKR: ["UHC", "CP949", "EUC-KR"]
        case .windows874: ["CP874", "WINDOWS-874"]
        case .ibm866: ["CP866", "IBM866"]
        default: [charset.rawValue]
        }
    }
}

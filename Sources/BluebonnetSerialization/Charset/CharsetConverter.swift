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
    private let charset: Charset

    /// Opens a converter to UTF-8; nil if the C library does not support this encoding.
    init?(_ charset: Charset) {
        for name in Self.names(of: charset) ?? [] {
            // On failure, `iconv_open` returns a pointer with all bits set.
            guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else { continue }
            self.descriptor = descriptor
            self.charset = charset
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
            if self.step(&input, &inputCount, into: room, appendingTo: &output) { continue }
            let rest = UnsafeRawBufferPointer(start: input, count: inputCount)
            guard let missing = self.charset.missingCharacter(in: rest),
                self.finish(into: room, appendingTo: &output)
            else { return nil }
            output.append(contentsOf: UTF8.encode(missing.scalar) ?? UTF8.encodedReplacementCharacter)
            input = input?.advanced(by: missing.byteCount)
            inputCount -= missing.byteCount
        }
        guard self.finish(into: room, appendingTo: &output) else { return nil }
        // glibc copies the escape sequences that it does not know.
        if self.charset == .iso2022JP, output.contains(0x1B) { return nil }
        return String(validating: output, as: UTF8.self)
    }

    /// Writes the character that a stateful encoding may still hold.
    private func finish(into room: UnsafeMutableRawBufferPointer, appendingTo output: inout [UInt8]) -> Bool {
        var none: UnsafeMutablePointer<CChar>?
        var zero = 0
        return self.step(&none, &zero, into: room, appendingTo: &output)
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
        let written = UnsafeMutableRawBufferPointer(rebasing: room[..<(room.count - targetCount)])
        self.charset.correctCharacters(in: written)
        output.append(contentsOf: written)
        return result != -1 || isFull && targetCount < room.count
    }

    /// Returns the C library's names of an encoding, in order of preference; nil for encodings that the library decodes
    /// itself.
    ///
    /// For some encodings the WHATWG name means Microsoft's superset, which C libraries know by another name.
    static func names(of charset: Charset) -> [String]? {
        switch charset {
        case .utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian, .ascii,
            .iso8859Part1, .windows1252, .macintosh, .macCyrillic:
            nil
        case .shiftJIS: ["CP932", "SHIFT_JIS"]
        case .eucJP: ["EUC-JP-MS", "EUC-JP"]
        // glibc knows the escape sequence of half-width katakana in this superset only.
        case .iso2022JP: ["ISO-2022-JP-3", "ISO-2022-JP"]
        case .gbk: ["GB18030", "GBK"]
        case .big5: ["BIG5-HKSCS", "BIG5"]
        case .eucKR: ["UHC", "CP949", "EUC-KR"]
        case .windows874: ["CP874", "WINDOWS-874"]
        case .ibm866: ["CP866", "IBM866"]
        default: [charset.rawValue]
        }
    }
}

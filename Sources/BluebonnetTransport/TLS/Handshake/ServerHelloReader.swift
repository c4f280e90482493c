// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses the cipher suite from the first bytes that a server sends.
///
/// The TLS library does not report it. But the ServerHello is the one handshake message that is never encrypted, and
/// the handshake succeeds only if it arrived unchanged (RFC 8446 section 4.1.3, RFC 5246 section 7.4.1.3).
struct ServerHelloReader {
    enum Progress: Equatable {
        case needsMore
        case found(CipherSuite)
        /// The bytes are not the beginning of a handshake, or not of a supported one.
        case givenUp
    }

    /// The bytes of records, and of the handshake messages in them; each is limited to the size of one record.
    private var records = [UInt8]()
    private var messages = [UInt8]()

    private static let sizeLimit = 16 * 1024
    /// The random value of a HelloRetryRequest: the SHA-256 of "HelloRetryRequest" (RFC 8446 section 4.1.3).
    private static let retry: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]

    /// Processes the next bytes.
    mutating func read(_ bytes: some Collection<UInt8>) -> Progress {
        self.records.append(contentsOf: bytes.prefix(Self.sizeLimit))
        while self.records.count >= 5 {
            let length = Int(self.records[3]) << 8 | Int(self.records[4])
            // A ServerHello fits in one record; larger ones are ignored.
            guard length <= Self.sizeLimit else { return .givenUp }
            guard self.records.count >= 5 + length else {
                return self.records.count > 2 * Self.sizeLimit ? .givenUp : .needsMore
            }
            switch self.records[0] {
            case 20: break  // ChangeCipherSpec, sent after a retry for compatibility with middleboxes.
            case 22: self.messages.append(contentsOf: self.records[5..<(5 + length)])
            default: return .givenUp
            }
            self.records.removeFirst(5 + length)
            let progress = self.readMessage()
            if progress != .needsMore { return progress }
        }
        return .needsMore
    }

    private mutating func readMessage() -> Progress {
        while let first = self.messages.first {
            guard first == 2 else { return .givenUp }
            guard self.messages.count >= 4 else { return .needsMore }
            let length = Int(self.messages[1]) << 16 | Int(self.messages[2]) << 8 | Int(self.messages[3])
            guard length <= Self.sizeLimit, self.messages.count <= Self.sizeLimit else { return .givenUp }
            guard self.messages.count >= 4 + length else { return .needsMore }
            // Version, random, then the session identifier preceded by its length.
            guard length >= 35 else { return .givenUp }
            let suite = 4 + 35 + Int(self.messages[4 + 34])
            guard suite + 2 <= 4 + length else { return .givenUp }
            if !self.messages[6..<38].elementsEqual(Self.retry) {
                return .found(
                    CipherSuite(rawValue: UInt16(self.messages[suite]) << 8 | UInt16(self.messages[suite + 1]))
                )
            }
            self.messages.removeFirst(4 + length)
        }
        return .needsMore
    }
}

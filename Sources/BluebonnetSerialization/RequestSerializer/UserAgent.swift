// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

extension HTTPRequestSerializer {
    /// Sets the default User-Agent field to the program's name and version, followed by the system: `name/version (system)`.
    ///
    /// The standard field contains the name of the process and the version `unknown`, because a program on Linux has
    /// none.
    ///
    /// - Parameters:
    ///   - name: The program's name. It is transliterated to ASCII; characters that a token cannot contain become
    ///     hyphens (RFC 9110 section 10.1.5).
    ///   - version: The program's version, converted in the same way; `unknown` if it is empty.
    public mutating func setUserAgent(name: String, version: String) {
        self.defaultHeaders[.userAgent] = UserAgent.value(name: name, version: version)
    }
}

extension DocumentRequestSerializer {
    /// Sets the default User-Agent field; see ``HTTPRequestSerializer/setUserAgent(name:version:)``.
    public mutating func setUserAgent(name: String, version: String) {
        self.base.setUserAgent(name: name, version: version)
    }
}

/// The value of the User-Agent field: `name/version (system)` (RFC 9110 section 10.1.5).
enum UserAgent {
    /// Returns the field value.
    ///
    /// - Parameters:
    ///   - name: The program's name; that of the process unless given.
    ///   - version: The program's version; `unknown` unless given, because a program on Linux has none.
    ///   - system: The system; its name and version unless given.
    /// - Returns: ASCII text.
    static func value(
        name: String = ProcessInfo.processInfo.processName,
        version: String = "unknown",
        system: String = Self.system
    ) -> String {
        "\(Self.token(name))/\(Self.token(version)) (\(Self.comment(system)))"
    }

    private static var system: String {
        #if os(Linux)
        "Linux; \(ProcessInfo.processInfo.operatingSystemVersionString)"
        #else
        ProcessInfo.processInfo.operatingSystemVersionString
        #endif
    }

    /// Returns an ASCII token; characters that a token cannot contain become hyphens.
    private static func token(_ text: String) -> String {
        let bytes = Transliteration.ascii(text).utf8.map { $0.isTokenByte ? $0 : UInt8(ascii: "-") }
        return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the content of a comment in ASCII, without characters that would end it or open another.
    private static func comment(_ text: String) -> String {
        let bytes = Transliteration.ascii(text).utf8.filter { byte in
            (0x20...0x7E).contains(byte) && !"()\\".utf8.contains(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// The passwords of a netrc file, by host.
///
/// A file is read only when the program asks for it. A host must equal that of an entry, except for the case of ASCII
/// letters. The `default` entry and macros are ignored: a password for every host would be sent to unknown servers.
///
/// ```swift
/// configuration.authentication = .netrc(try Netrc(contentsOf: URL(filePath: "/home/ada/.netrc")))
/// ```
public struct Netrc: Sendable {
    private static let largestByteCount = 1024 * 1024

    /// Keyed by the bytes of the host: canonically equivalent texts are different hosts.
    private var credentials: [[UInt8]: Credential] = [:]

    /// Reads a file, blocking the thread.
    ///
    /// - Parameter url: The file's URL. It may have up to 1 MiB, and only its owner may be allowed to read or write it (mode 0600 or less).
    /// - Throws: ``SessionError/Code/invalidConfiguration`` if the file cannot be read, others may read it, or it
    ///   cannot be parsed.
    public init(contentsOf url: URL) throws {
        let path = url.path(percentEncoded: false)
        do {
            guard let bytes = try FileContent.readPrivate(path, upTo: Self.largestByteCount) else {
                throw Self.fault("others than its owner may read or change it; change its mode to 0600")
            }
            try self.init(parsing: bytes)
        } catch let error as SessionError {
            throw error
        } catch {
            throw Self.fault((error as? FileFault)?.text ?? "it is not there or cannot be read", underlying: error)
        }
    }

    /// Reads the bytes of a file.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``SessionError/Code/invalidConfiguration`` if they are not a netrc file.
    public init(parsing bytes: [UInt8]) throws {
        var scanner = NetrcScanner(bytes)
        while let word = try scanner.next() {
            switch word {
            case "machine":
                let host = try scanner.value(of: word)
                let credential = try scanner.entry()
                // The first entry of a host is used.
                let key = Self.key(host)
                if let credential, self.credentials[key] == nil { self.credentials[key] = credential }
            case "default": _ = try scanner.entry()
            case "macdef": scanner.skipMacro()
            default: throw Self.fault("it has a word where an entry should begin")
            }
        }
    }

    /// The credential for a host; nil if the file has none.
    ///
    /// - Parameter host: The host, without brackets around an IPv6 address.
    public subscript(host: String) -> Credential? { self.credentials[Self.key(host)] }

    /// The bytes of a host, with only ASCII letters in lower case.
    private static func key(_ host: String) -> [UInt8] {
        host.utf8.map(\.asciiLowercased)
    }

    static func fault(_ reason: String, underlying: (any Error)? = nil) -> SessionError {
        SessionError(
            .invalidConfiguration,
            reason: "the netrc file cannot be used: \(reason)",
            underlying: underlying
        )
    }
}

/// Reads the words of a netrc file one by one.
private struct NetrcScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the user name and the password of the current entry; nil if it has no login.
    mutating func entry() throws -> Credential? {
        var user: String?
        var password = ""
        while true {
            let start = self.index
            switch try self.next() {
            case "login": user = try self.value(of: "login")
            case "password": password = try self.value(of: "password")
            case "account": _ = try self.value(of: "account")
            case "macdef": self.skipMacro()
            case nil: return user.map { .password($0, password) }
            default:
                self.index = start
                return user.map { .password($0, password) }
            }
        }
    }

    mutating func value(of word: String) throws -> String {
        guard let value = try self.next(allowsComment: false) else { throw Netrc.fault("it ends after \(word)") }
        return value
    }

    /// Reads the next word, without quotation marks and escapes; nil at the end.
    mutating func next(allowsComment: Bool = true) throws -> String? {
        while let byte = self.peek {
            if Self.isSpace(byte) {
                self.index += 1
            } else if allowsComment, byte == UInt8(ascii: "#") {
                self.skip { $0 != 0x0A }
            } else {
                break
            }
        }
        guard let first = self.peek else { return nil }
        let isQuoted = first == UInt8(ascii: "\"")
        if isQuoted { self.index += 1 }
        var word: [UInt8] = []
        while let byte = self.peek {
            if isQuoted ? byte == UInt8(ascii: "\"") : Self.isSpace(byte) { break }
            self.index += 1
            if isQuoted, byte == UInt8(ascii: "\\"), let escaped = self.peek {
                self.index += 1
                word.append(Self.unescaped(escaped))
            } else {
                word.append(byte)
            }
        }
        if isQuoted {
            guard self.peek != nil else { throw Netrc.fault("a quotation mark is not closed") }
            self.index += 1
        }
        guard let text = String(validating: word, as: UTF8.self) else { throw Netrc.fault("it is not UTF-8") }
        return text
    }

    /// Skips a macro, which ends at an empty line.
    mutating func skipMacro() {
        var isEmptyLine = false
        while let byte = self.peek {
            self.index += 1
            guard byte == 0x0A else {
                if byte != 0x0D { isEmptyLine = false }
                continue
            }
            if isEmptyLine { return }
            isEmptyLine = true
        }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = self.peek, condition(byte) { self.index += 1 }
    }

    private var peek: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }
}

// The default mirror would print the passwords.
extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of hosts.
    public var description: String { "a netrc file with \(self.credentials.count) hosts" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["netrc": self.description]) }
}

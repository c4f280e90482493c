// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

/// The data of a curl command: the values of `--data`, its variants and `--json`, concatenated.
struct CurlData: Sendable {
    private enum Source: Sendable {
        case text(String)
        case file(String)
        case standardInput
    }

    /// What becomes of the bytes of a file or of standard input.
    private enum Treatment: Sendable {
        case unchanged
        /// Line breaks and NULs are removed.
        case withoutLines
        /// The bytes are encoded for a form, after a name unless that is empty.
        case encoded(name: String)
    }

    private var pieces: [(source: Source, treatment: Treatment, isJoined: Bool)] = []

    /// Whether there is no data.
    var isEmpty: Bool { self.pieces.isEmpty }

    /// Whether a piece of it is read from standard input.
    var usesStandardInput: Bool {
        self.pieces.contains { if case .standardInput = $0.source { true } else { false } }
    }

    /// Adds a text verbatim.
    mutating func add(_ text: String) { self.pieces.append((.text(text), .unchanged, false)) }

    /// Adds a value, or the content of the file after an `@`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - removesLines: Whether line breaks and NULs are removed from a file.
    ///   - isJoined: Whether the value is appended without an `&`.
    mutating func add(_ value: String, removesLines: Bool, isJoined: Bool = false) {
        let source: Source =
            !value.starts(withScalars: "@")
            ? .text(value) : value == "@-" ? .standardInput : .file(String(value.droppingScalars(1)))
        self.pieces.append((source, removesLines ? .withoutLines : .unchanged, isJoined))
    }

    /// Adds a value of `--url-query`: the same as for `--data-urlencode`, or verbatim after a `+`.
    ///
    /// - Throws: `CommandFailure` for a file that cannot be read.
    mutating func add(query value: String) throws(CommandFailure) {
        if value.starts(withScalars: "+") {
            self.add(String(value.droppingScalars(1)))
        } else {
            try self.add(encoding: value)
        }
    }

    /// Adds a value of `--data-urlencode`.
    ///
    /// - Throws: `CommandFailure` for a file that cannot be read.
    mutating func add(encoding value: String) throws(CommandFailure) {
        guard let (name, content) = value.split(atScalar: "=") else {
            guard let (name, path) = value.split(atScalar: "@") else {
                self.add(Self.encoded(value.utf8))
                return
            }
            guard path != "-" else {
                return self.pieces.append((.standardInput, .encoded(name: String(name)), false))
            }
            return self.add(Self.encoded(try LocalFile.bytes(String(path)), name: String(name)))
        }
        self.add(Self.encoded(content.utf8, name: String(name)))
    }

    /// Returns bytes, which need not be text, in the encoding of a form, with spaces as `+`, after a name unless that is empty.
    private static func encoded(_ bytes: some Collection<UInt8>, name: String = "") -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte == UInt8(ascii: " ") {
                encoded.append(UInt8(ascii: "+"))
            } else if PercentEncoding.AllowedBytes.unreserved.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(tripletOf: byte)
            }
        }
        return (name.isEmpty ? "" : "\(name)=") + String(decoding: encoded, as: UTF8.self)
    }

    /// The data as a query.
    ///
    /// - Throws: `CommandFailure` if the data is not text.
    var query: String {
        get throws(CommandFailure) {
            let bytes = try self.bytes { () throws(CommandFailure) in
                throw .usage("standard input has no place in a query here: name a file instead of “@-”")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .usage(
                    "the data for the query is not text in UTF-8: use --data-urlencode, which encodes any bytes"
                )
            }
            return text
        }
    }

    /// Creates a body from the data.
    ///
    /// A single file, or standard input alone, is streamed if it is sent unchanged.
    ///
    /// - Parameter console: The source of standard input.
    /// - Returns: The body.
    /// - Throws: `CommandFailure` for a file that cannot be read.
    func body(_ console: Console) throws(CommandFailure) -> RequestBody {
        if self.pieces.count == 1, case .unchanged = self.pieces[0].treatment {
            switch self.pieces[0].source {
            case .file(let path) where !PipeFile.isPipe(path):
                return try LocalFile.body(path)
            case .standardInput: return try PipedBody(console, advice: nil).body() ?? .data(Data())
            case .file, .text: break
            }
        }
        return .data(try self.bytes { () throws(CommandFailure) in try Self.everything(of: console.input) }.data)
    }

    private func bytes(_ input: () throws(CommandFailure) -> [UInt8]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, piece) in self.pieces.enumerated() {
            if index > 0, !piece.isJoined { bytes.append(UInt8(ascii: "&")) }
            let content: [UInt8]
            switch piece.source {
            case .text(let text):
                bytes += text.utf8
                continue
            case .file(let path): content = try LocalFile.bytes(path)
            case .standardInput: content = try input()
            }
            switch piece.treatment {
            case .unchanged: bytes += content
            case .withoutLines: bytes += content.filter { ![0x00, 0x0A, 0x0D].contains($0) }
            case .encoded(let name): bytes += Self.encoded(content, name: name).utf8
            }
        }
        return bytes
    }

    private static func everything(of input: any InputSource) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = try InputReader.fill(&piece, from: input)
            if count == 0 { return bytes }
            guard bytes.count + count <= LocalFile.embeddingLimit else {
                throw .usage("standard input is too large: --data-binary @- sends it of any size, as it is")
            }
            bytes += piece[..<count]
            // Only the end of the input leaves room; a terminal would have to be told of it once more.
            if count < piece.count { return bytes }
        }
    }
}

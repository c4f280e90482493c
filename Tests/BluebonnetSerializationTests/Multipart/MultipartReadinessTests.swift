// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Synchronization
import Testing

/// Parts of a form that have nothing for a while.
@Suite struct MultipartReadinessTests {
    /// Bytes that a test supplies.
    private final class Source: BodyReader {
        private struct State {
            var bytes: [UInt8] = []
            var isEnd = false
            var notify: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        func supply(_ text: String, isEnd: Bool = false) {
            let notify = self.state.withLock { state in
                state.bytes += text.utf8
                state.isEnd = isEnd
                return state.notify.take()
            }
            notify?()
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            self.state.withLock { state in
                if state.bytes.isEmpty, !state.isEnd { Issue.record("it is read while it has nothing") }
                let count = min(buffer.count, state.bytes.count)
                buffer.copyBytes(from: state.bytes.prefix(count))
                state.bytes.removeFirst(count)
                return count
            }
        }

        var isReadable: Bool { self.state.withLock { !$0.bytes.isEmpty || $0.isEnd } }

        func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.state.withLock { $0.notify = notify } }
    }

    /// Reads until the form has nothing or is complete.
    private static func read(_ reader: inout MultipartBodyReader, by size: Int = 1_000) throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while reader.isReadable {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func form(_ source: Source, length: Int64) throws -> MultipartFormData {
        var form = MultipartFormData(boundary: "B")
        try form.append(reader: source, length: length, name: "a")
        form.append("text", name: "b")
        return form
    }

    private static let head = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
    private static let rest = "\r\n--B\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\ntext\r\n--B--\r\n"

    @Test(.bug(id: "F373"), arguments: [1, 7, 1_000])
    func `a part that has nothing yet makes the form unreadable`(_ size: Int) throws {
        let source = Source()
        var reader = try Self.form(source, length: 10).makeReader()
        #expect(try Self.read(&reader, by: size) == Self.head)
        #expect(!reader.isReadable)
        let calls = Mutex(0)
        reader.whenReadable { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 0)
        source.supply("hello")
        #expect(calls.withLock { $0 } == 1)
        #expect(try Self.read(&reader, by: size) == "hello")
        source.supply("world")
        // The declared bytes complete the part, and the rest of the form does not wait for its end.
        #expect(try Self.read(&reader, by: size) == "world" + Self.rest)
        #expect(reader.isReadable)
        reader.whenReadable { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
    }

    @Test(.bug(id: "F373")) func `a part of no bytes is not waited for`() throws {
        var reader = try Self.form(Source(), length: 0).makeReader()
        #expect(try Self.read(&reader) == Self.head + Self.rest)
    }

    @Test(.bug(id: "F373"), arguments: ["worl", "world!"])
    func `a part with another number of bytes fails after a pause, too`(_ second: String) throws {
        let source = Source()
        var reader = try Self.form(source, length: 10).makeReader()
        source.supply("hello")
        #expect(try Self.read(&reader) == Self.head + "hello")
        source.supply(second, isEnd: true)
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) { try Self.read(&reader) }
    }
}

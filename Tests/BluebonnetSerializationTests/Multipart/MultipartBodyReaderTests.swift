// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct MultipartBodyReaderTests {
    /// A form with every kind of part, and the bytes it stands for.
    private static func makeForm(in directory: TemporaryDirectory) throws -> (form: MultipartFormData, bytes: [UInt8]) {
        let blob = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var form = MultipartFormData(boundary: "BOUND")
        try form.append(parameters: ["k": ["v", nil]])
        form.append(Data(), name: "empty")
        try form.append(file: try directory.makeFile("f.bin", blob), name: "file")
        try form.append(file: try directory.makeFile("none.txt", []), name: "hollow")
        try form.append(length: 300, name: "stream") { BytesReader(blob, most: 17) }
        form.append(Data(blob), name: "blob", filename: "blob")
        let disposition = "\r\nContent-Disposition: form-data; name="
        var bytes: [UInt8] = []
        func add(_ head: String, _ body: [UInt8]) {
            bytes += "\(bytes.isEmpty ? "" : "\r\n")--BOUND\(disposition)\(head)\r\n\r\n".utf8
            bytes += body
        }
        add("\"k[]\"", Array("v".utf8))
        add("\"k[]\"", [])
        add("\"empty\"", [])
        add("\"file\"; filename=\"f.bin\"\r\nContent-Type: application/octet-stream", blob)
        add("\"hollow\"; filename=\"none.txt\"\r\nContent-Type: text/plain", [])
        add("\"stream\"", blob)
        add("\"blob\"; filename=\"blob\"", blob)
        bytes += "\r\n--BOUND--\r\n".utf8
        return (form, bytes)
    }

    private static func read(
        _ reader: consuming some BodyReader,
        chunk: () -> Int
    ) throws -> (bytes: [UInt8], counts: [Int]) {
        var reader = reader
        var bytes: [UInt8] = []
        var counts: [Int] = []
        while true {
            var buffer = [UInt8](repeating: 0xAA, count: chunk())
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            counts.append(count)
            if count == 0 { return (bytes, counts) }
            #expect(buffer[count...].allSatisfy { $0 == 0xAA })
            bytes += buffer[..<count]
        }
    }

    @Test func `1.1.11 every chunk size from 1 to 200 gives the same bytes, and fills the buffer`() throws {
        let directory = try TemporaryDirectory()
        let (form, bytes) = try Self.makeForm(in: directory)
        #expect(form.contentLength == Int64(bytes.count))
        for size in 1...200 {
            let result = try Self.read(try form.makeReader(), chunk: { size })
            #expect(result.bytes == bytes, "chunks of \(size)")
            // The stream gives 17 bytes at a time; nothing else may leave a buffer half full except the last.
            #expect(result.counts.dropLast(2).allSatisfy { $0 == size }, "chunks of \(size)")
        }
    }

    @Test(arguments: [16_384, 65_536, 70_000])
    func `1.1.11 after the first read of a long file every read begins at a page of it`(
        _ size: Int
    ) throws {
        let directory = try TemporaryDirectory()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251 &+ $0) }
        var form = MultipartFormData(boundary: "B")
        try form.append(file: try directory.makeFile("f", content), name: "file")
        form.append("after", name: "field")
        let result = try Self.read(try form.makeReader(), chunk: { size })
        // The opening boundary and the header fields come before the file.
        let lead = form.parts[0].headers.reduce(5 + 2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        #expect(Array(result.bytes[lead..<(lead + content.count)]) == content)
        var position = 0
        for count in result.counts.dropLast() {
            if position > 0, position < lead + content.count { #expect((position - lead).isMultiple(of: 4_096)) }
            position += count
        }
        #expect(Int64(position) == form.contentLength)
        #expect(result.counts[0] > size - 4_096)
    }

    @Test func `1.1.11 random chunk sizes give the same bytes`() throws {
        let directory = try TemporaryDirectory()
        let (form, bytes) = try Self.makeForm(in: directory)
        for _ in 0..<200 {
            #expect(try Self.read(try form.makeReader(), chunk: { .random(in: 1...400) }).bytes == bytes)
        }
    }

    @Test func `1.1.11 copies of a reader and of a form start and go on by themselves`() throws {
        let directory = try TemporaryDirectory()
        let (form, bytes) = try Self.makeForm(in: directory)
        var first = try form.makeReader()
        var buffer = [UInt8](repeating: 0, count: 100)
        _ = try buffer.withUnsafeMutableBytes { try first.read(into: $0) }
        let copy = form
        #expect(try Self.read(try copy.makeReader(), chunk: { 64 }).bytes == bytes)
        #expect(try Self.read(first, chunk: { 64 }).bytes == Array(bytes[100...]))
        #expect(try Self.read(try form.makeReader(), chunk: { 64 }).bytes == bytes)
    }

    @Test func `1.1.11 a throttle caps every read, asks for a pause between reads and survives copying`() throws {
        var form = MultipartFormData(boundary: "B")
        form.append(String(repeating: "x", count: 100), name: "n")
        form.throttle(packetSize: 50, delay: .seconds(1_000_000))
        let copy = form
        // The reader itself never waits.
        let result = try Self.read(try copy.makeReader(), chunk: { 4_096 })
        let packets = (Int(form.contentLength) + 49) / 50
        #expect(result.counts.dropLast().allSatisfy { $0 <= 50 })
        #expect(result.counts.count == packets + 1)
        #expect(Int64(result.bytes.count) == form.contentLength)

        var reader = try copy.makeReader()
        var delays = [Duration]()
        try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            while try reader.read(into: buffer) > 0 { delays.append(reader.delayBeforeNextRead) }
        }
        #expect(delays.dropLast() == [_](repeating: .seconds(1_000_000), count: packets - 1)[...])
        #expect(delays.last == .zero, "nothing comes after the last packet")
    }

    @Test func `1.1.11 a tiny throttle works`() throws {
        var form = MultipartFormData(boundary: "B")
        form.append("xyz", name: "n")
        form.throttle(packetSize: 0, delay: .zero)
        let result = try Self.read(try form.makeReader(), chunk: { 4_096 })
        #expect(result.counts.dropLast().allSatisfy { $0 == 1 })
        #expect(MultipartFormData.suggestedPacketSize == 16_384)
        #expect(MultipartFormData.suggestedDelay == .milliseconds(200))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let length: Int64
        let count: Int
        var fails = false
        let code: SerializationError.Code
    }

    @Test(arguments: [
        Fault(testDescription: "too short", length: 10, count: 9, code: .lengthMismatch),
        Fault(testDescription: "empty", length: 10, count: 0, code: .lengthMismatch),
        Fault(testDescription: "too long", length: 10, count: 11, code: .lengthMismatch),
        Fault(testDescription: "not empty", length: 0, count: 1, code: .lengthMismatch),
        Fault(testDescription: "fails", length: 10, count: 5, fails: true, code: .readFailed),
        Fault(testDescription: "fails at the end", length: 10, count: 10, fails: true, code: .readFailed),
    ])
    func `1.1.11 a reader that breaks its promise fails the body and is named`(_ fault: Fault) throws {
        var form = MultipartFormData()
        form.append("before", name: "first")
        try form.append(length: fault.length, name: "culprit") {
            BytesReader(Array(repeating: 1, count: fault.count), fails: fault.fails)
        }
        form.append("after", name: "last")
        for size in [1, 7, 10_000] {
            let error = #expect(throws: SerializationError.self) {
                try Self.read(try form.makeReader(), chunk: { size })
            }
            #expect(error?.code == fault.code)
            #expect(error?.reason.contains("“culprit”") == true)
        }
    }

    @Test func `a reader that lies about its count fails the body`() throws {
        struct Liar: BodyReader {
            let count: Int
            func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { self.count }
        }
        for count in [-1, 5_000, Int.max, Int.min] {
            var form = MultipartFormData()
            try form.append(length: 10_000, name: "culprit") { Liar(count: count) }
            #expect(throws: SerializationError(.readFailed, reason: "")) {
                try Self.read(try form.makeReader(), chunk: { 4_000 })
            }
        }
    }

    @Test func `a reader that can be used once is used once`() throws {
        var form = MultipartFormData()
        try form.append(reader: BytesReader([1, 2, 3]), length: 3, name: "once")
        #expect(!form.isReplayable)
        #expect(try RequestBody.multipart(form).collect().count == Int(form.contentLength))
        #expect(throws: SerializationError(.bodyNotReplayable, reason: "")) {
            try RequestBody.multipart(form).collect()
        }
    }

    @Test(arguments: [-1, 1])
    func `1.1.10 a file that shrank or grew since it was added is an error that names the part`(change: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", Array(repeating: 1, count: 1_000))
        var form = MultipartFormData()
        try form.append(file: file, name: "culprit")
        _ = try directory.makeFile("f", Array(repeating: 1, count: 1_000 + change))
        let error = #expect(throws: SerializationError.self) {
            try Self.read(try form.makeReader(), chunk: { 64 })
        }
        #expect(error?.code == .lengthMismatch)
        #expect(error?.reason.contains("“culprit”") == true)
    }

    @Test(arguments: [-500, 500])
    func `1.1.10 a file that changes its size while it is read is an error`(change: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", Array(repeating: 1, count: 1_000))
        var form = MultipartFormData()
        try form.append(file: file, name: "culprit")
        var reader = try form.makeReader()
        var buffer = [UInt8](repeating: 0, count: 400)
        _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        try directory.resize("f", to: 1_000 + change)
        let error = #expect(throws: SerializationError.self) { try Self.read(reader, chunk: { 64 }) }
        #expect(error?.code == .lengthMismatch)
        #expect(error?.reason.contains("“culprit”") == true)
    }

    @Test func `a file that is gone when its turn comes is an error`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", [1, 2, 3])
        var form = MultipartFormData(boundary: "B")
        form.append(Data(repeating: 7, count: 100), name: "before")
        try form.append(file: file, name: "culprit")
        var reader = try form.makeReader()
        let start = try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { try reader.read(into: $0) }
        #expect(start == 64)
        try directory.remove("f")
        let error = #expect(throws: SerializationError.self) { try Self.read(reader, chunk: { 64 }) }
        #expect(error?.code == .fileNotFound)
        // The file is opened no earlier: one that comes back in time is sent as it is then.
        _ = try directory.makeFile("f", [4, 5, 6])
        let rest = try Self.read(reader, chunk: { 64 })
        #expect(Data(rest.bytes).firstRange(of: Data([4, 5, 6])) != nil)
    }
}

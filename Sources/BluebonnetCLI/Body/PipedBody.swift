// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// A request body that is read from standard input.
///
/// A short body is buffered, so that its length is known and it can be sent again; a long one is streamed, and so is
/// one that is to be sent as it comes.
struct PipedBody {
    /// The number of bytes that are buffered before the body is streamed: 1 MiB.
    static let bufferedByteCount = 1024 * 1024

    /// The most bytes of the first read of a body that is sent as it comes: 64 KiB.
    private static let firstByteCount = 64 * 1024

    /// The time to wait for the first byte before a note is printed, in milliseconds.
    private static let patience: Int32 = 2000

    private let console: Console

    /// What a person can do who means no body; nil for nothing.
    private let advice: String?

    init(_ console: Console, advice: String? = "--ignore-stdin sends none") {
        self.console = console
        self.advice = advice
    }

    /// Returns the body; nil if standard input is empty.
    ///
    /// - Parameter asItComes: Whether the bytes of a pipe are sent as soon as they are read; a file is complete.
    /// - Returns: The body.
    /// - Throws: `CommandFailure` if standard input cannot be read.
    func body(asItComes: Bool = false) throws(CommandFailure) -> RequestBody? {
        let input = self.console.input
        if !input.waitUntilReadable(milliseconds: Self.patience) {
            let advice = self.advice.map { " (\($0))" } ?? ""
            self.console.report("note", "waiting for a body on standard input\(advice)")
        }
        let length = input.remainingByteCount
        if length == 0 { return nil }
        if asItComes, length == nil { return try self.immediateBody(of: input) }
        var head = [UInt8](repeating: 0, count: Self.bufferedByteCount)
        let count = try InputReader.fill(&head, from: input)
        if count == 0 { return nil }
        if count < head.count { return .data(Data(head[..<count])) }
        return .stream(length: length, isReplayable: false) { [head] in InputReader(head: head, input: input) }
    }

    /// Returns a body that is sent as it comes; one read tells it from an empty input.
    private func immediateBody(of input: any InputSource) throws(CommandFailure) -> RequestBody? {
        var space = [UInt8](repeating: 0, count: Self.firstByteCount)
        let count = try InputReader.fill(&space, from: input, completely: false)
        if count == 0 { return nil }
        let head = Array(space[..<count])
        return .stream(length: nil, isReplayable: false) {
            InputReader(head: head, input: input, fillsBuffers: false)
        }
    }
}

/// A reader that returns the bytes that have been read already, then the rest of an input.
struct InputReader: BodyReader {
    private var head: [UInt8]
    private var position = 0
    private let input: any InputSource
    /// Whether a read waits until its buffer is full; otherwise it returns what there is.
    private let fillsBuffers: Bool

    init(head: [UInt8], input: any InputSource, fillsBuffers: Bool = true) {
        self.head = head
        self.input = input
        self.fillsBuffers = fillsBuffers
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if self.position < self.head.count {
            let count = min(buffer.count, self.head.count - self.position)
            buffer.copyBytes(from: self.head[self.position..<(self.position + count)])
            self.position += count
            if self.position == self.head.count {
                self.head = []
                self.position = 0
            }
            return count
        }
        var count = 0
        // A pipe returns as little as it has; full buffers make fewer chunks of equal size.
        while count < buffer.count {
            let read = try self.input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            count += read
            if read == 0 || !self.fillsBuffers { break }
        }
        return count
    }

    /// Reads until a buffer is full or the input ends; once if the buffer need not be full.
    static func fill(
        _ bytes: inout [UInt8],
        from input: any InputSource,
        completely: Bool = true
    ) throws(CommandFailure) -> Int {
        var reader = InputReader(head: [], input: input, fillsBuffers: completely)
        let result: Result<Int, any Error> = bytes.withUnsafeMutableBytes { buffer in
            Result { try reader.read(into: buffer) }
        }
        do {
            return try result.get()
        } catch {
            throw CommandFailure(describing: error)
        }
    }
}

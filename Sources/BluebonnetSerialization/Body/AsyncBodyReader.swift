// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Reads a body from an asynchronous sequence of pieces.
///
/// A task iterates over the sequence, one piece ahead of the reader. It begins with the first use, and is cancelled with
/// the reader.
final class AsyncBodyReader<Source: AsyncSequence & Sendable>: BodyReader
where Source.Element: RandomAccessCollection<UInt8> & Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The piece that is read, and how many of its bytes have been.
        var current: (piece: Source.Element, readCount: Int)?
    }

    private let source: Source
    private let pieces = AsyncPieces<Source.Element>()
    private let state = Mutex(State())

    init(_ source: Source) {
        self.source = source
    }

    deinit {
        self.pieces.stop()
        self.state.withLock { $0.task }?.cancel()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = self.copy(into: buffer)
            if count > 0 { return count }
            switch self.next() {
            case .piece(let piece): self.state.withLock { $0.current = (piece, 0) }
            case .end: return 0
            case .failed(let error): throw error
            }
        }
    }

    var isReadable: Bool {
        self.start()
        return self.state.withLock { $0.current != nil } || self.pieces.hasContent
    }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) {
        self.start()
        self.pieces.whenContent(notify)
    }

    /// The next content, which is waited for.
    private func next() -> AsyncPieces<Source.Element>.Content {
        self.start()
        while true {
            if let content = self.pieces.take() { return content }
            // The engine and asynchronous functions read only what is readable; other callers block their own thread.
            let semaphore = DispatchSemaphore(value: 0)
            self.pieces.whenContent { semaphore.signal() }
            semaphore.wait()
        }
    }

    private func copy(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        self.state.withLock { state in
            guard let (piece, readCount) = state.current else { return 0 }
            let count = Swift.min(buffer.count, piece.count - readCount)
            state.current = readCount + count == piece.count ? nil : (piece, readCount + count)
            buffer.copyBytes(from: piece.dropFirst(readCount).prefix(count))
            return count
        }
    }

    private func start() {
        self.state.withLock { state in
            guard state.task == nil else { return }
            // The reader owns the task, and cancels it when it is released.
            state.task = Task { [source, pieces] in await Self.produce(source, pieces) }
        }
    }

    private static func produce(_ source: Source, _ pieces: AsyncPieces<Source.Element>) async {
        do {
            for try await piece in source where !piece.isEmpty {
                guard await pieces.put(piece) else { return }
            }
            pieces.finish()
        } catch {
            pieces.finish(error)
        }
    }
}

extension RequestBody {
    /// Creates a body from an asynchronous sequence of pieces: an `AsyncStream` of `Data`, or of arrays of bytes.
    ///
    /// The sequence is iterated by a task of its own, as fast as the connection accepts the bytes: two pieces are held at a time. No thread
    /// waits for a slow sequence. The task is cancelled when the exchange ends before the sequence. An error of the sequence fails the
    /// exchange.
    ///
    /// ```swift
    /// let (lines, writer) = AsyncStream.makeStream(of: Data.self)
    /// async let response = api.post("log", body: .stream(lines))
    /// writer.yield(Data("started\n".utf8))
    /// writer.finish()
    /// ```
    ///
    /// A request with a `length` is complete once that many bytes have been sent, whether or not the sequence has ended. A compressed body is
    /// flushed whenever the sequence has no next piece, so that every piece is sent as it comes.
    ///
    /// Functions that are not asynchronous, such as ``collect(upTo:)``, block the calling thread while the sequence has nothing.
    ///
    /// - Parameters:
    ///   - sequence: The pieces; empty ones are skipped.
    ///   - length: The number of bytes of all pieces; nil if unknown (the body is then sent chunked). No more are sent. Fewer fail
    ///     the exchange, and so do more in the piece of the last declared byte; whether later ones exist is not waited for, so
    ///     that they are a failure only if the sequence happens to have given them by then.
    ///   - isReplayable: Whether the sequence can be iterated again from its first piece, for a redirect or a retry. Most sequences cannot.
    /// - Returns: The body.
    public static func stream<Source: AsyncSequence & Sendable>(
        _ sequence: Source,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) -> RequestBody where Source.Element: RandomAccessCollection<UInt8> & Sendable {
        guard isReplayable else { return .reader(AsyncBodyReader(sequence), length: length) }
        return .stream(length: length, isReplayable: true) { AsyncBodyReader(sequence) }
    }
}

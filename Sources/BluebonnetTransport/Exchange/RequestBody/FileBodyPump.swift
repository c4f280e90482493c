// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Sends a file on the connection without reading it into the process, one piece at a time (`sendfile`).
///
/// It runs on the connection's event loop; the file is opened on the thread pool. One piece is in flight at a time, so
/// that progress is visible, other connections of the loop get their turn, and the length of the file is checked
/// repeatedly. If the file is not in the system's page cache, the system reads it while it sends, and blocks the loop
/// for that time; no other body does so.
final class FileBodyPump: BodyPump {
    /// The outcomes of the pump.
    enum Outcome {
        /// A piece for the connection; the file must stay open until the piece is written, and
        /// ``FileBodyPump/didWrite()`` must be called then.
        case piece(FileRegion, of: OpenBodyFile)
        /// The body has been sent.
        case end
        case failed(TransportError)
    }

    /// The size of one piece, in bytes.
    static let pieceSize: Int64 = 512 * 1024
    /// How often the length of the file is checked while a piece is in flight.
    ///
    /// At the end of a truncated file `sendfile` sends nothing and reports no error, so the channel would retry
    /// forever.
    private static let checkInterval = TimeAmount.milliseconds(100)

    private let body: FileBody
    private let eventLoop: any EventLoop
    private let clock: EngineClock
    private var file: OpenBodyFile?
    private var sent: Int64 = 0
    /// The length of the piece in flight; nil if there is none.
    private var pending: Int64?
    private var check: EngineTimer?
    /// Whether the file is being opened; the server is then not the one that is slow.
    private(set) var isReading = false
    private var isStopped = false
    private var sink: ((Outcome) -> Void)?

    /// Creates a pump.
    ///
    /// - Parameters:
    ///   - body: The file to send.
    ///   - eventLoop: The event loop of the pump.
    ///   - clock: The source of time.
    ///   - sink: Receives the outcomes.
    init(
        _ body: FileBody,
        eventLoop: any EventLoop,
        clock: EngineClock,
        sink: @escaping (Outcome) -> Void
    ) {
        self.body = body
        self.eventLoop = eventLoop
        self.clock = clock
        self.sink = sink
    }

    func pull(room: Int) {
        guard !self.isStopped, !self.isReading, self.file == nil else { return }
        self.isReading = true
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        NIOThreadPool.singleton.submit { [eventLoop, body] state in
            let result = Result { () throws(TransportError) in
                guard state == .active else { throw TransportError.shutDown(in: .requestBody) }
                return try OpenBodyFile(body)
            }
            eventLoop.execute { bound.value.didOpen(result) }
        }
    }

    func stop() {
        self.isStopped = true
        self.sink = nil
        self.file = nil
        self.check?.cancel()
    }

    /// Continues after the last piece has been written.
    func didWrite() {
        guard !self.isStopped, let count = self.pending.take() else { return }
        self.check?.cancel()
        self.sent += count
        self.body.onBytes?(Int(count))
        self.sendPiece()
    }

    private func didOpen(_ result: Result<OpenBodyFile, TransportError>) {
        self.isReading = false
        guard !self.isStopped else { return }
        switch result {
        case .failure(let error): self.finish(.failed(error))
        case .success(let file):
            self.file = file
            self.body.onBytes?(0)
            self.sendPiece()
        }
    }

    private func sendPiece() {
        guard let file, let sink else { return }
        guard self.sent < self.body.byteCount else { return self.finish(.end) }
        do {
            try file.checkLength()
        } catch {
            return self.finish(.failed(error))
        }
        let start = self.body.offset + self.sent
        let count = Swift.min(Self.pieceSize, self.body.byteCount - self.sent)
        self.pending = count
        self.scheduleCheck()
        sink(
            .piece(FileRegion(fileHandle: file.handle, readerIndex: Int(start), endIndex: Int(start + count)), of: file)
        )
    }

    /// A reference that does not keep the pump alive.
    private struct Weak {
        weak var pump: FileBodyPump?
    }

    private func scheduleCheck() {
        // A check that is repeated must not be what keeps the pump and its file, when no exchange has it any more.
        let bound = NIOLoopBound(Weak(pump: self), eventLoop: self.eventLoop)
        self.check = self.clock.schedule(at: self.clock.now() + Self.checkInterval, on: self.eventLoop) {
            bound.value.pump?.lookAgain()
        }
    }

    /// Checks the file while a piece is in flight.
    private func lookAgain() {
        guard self.pending != nil, let file else { return }
        do {
            try file.checkContent()
            self.scheduleCheck()
        } catch {
            self.finish(.failed(error))
        }
    }

    private func finish(_ outcome: Outcome) {
        let sink = self.sink
        self.stop()
        sink?(outcome)
    }
}

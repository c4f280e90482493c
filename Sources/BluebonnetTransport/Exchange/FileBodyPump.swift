// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Brings a file onto the connection without reading it: the system sends it piece by piece from where it lies.
///
/// Lives on the connection's event loop; the file is opened on the thread pool. One piece is on its way at a time, so that progress
/// shows, other connections of the loop get their turn, and the length of the file is looked at again and again. A file whose bytes are
/// not in the system's cache is read by the system while it is sent; the loop waits for that as it waits for no other body.
final class FileBodyPump: BodyPump {
    /// What became of the body.
    enum Outcome {
        /// A piece for the connection; the file has to stay open until it is written, and ``FileBodyPump/didWrite()`` be called then.
        case piece(FileRegion, of: OpenBodyFile)
        /// The body has been sent.
        case end
        case failed(TransportError)
    }

    /// The bytes that are sent at a time.
    static let pieceSize: Int64 = 512 * 1024
    /// How often the length of the file is looked at while the peer takes a piece.
    ///
    /// Behind the end of a file there is nothing to send and no error either: the channel would try again and again.
    private static let checkInterval = TimeAmount.milliseconds(100)

    private let body: FileBody
    private let eventLoop: any EventLoop
    private let clock: EngineClock
    private var file: OpenBodyFile?
    private var sent: Int64 = 0
    /// The length of the piece that is on its way, nil if there is none.
    private var pending: Int64?
    private var check: EngineTimer?
    /// Whether the file is being opened; the peer is then not the slow side.
    private(set) var isReading = false
    private var isStopped = false
    private var sink: ((Outcome) -> Void)?

    /// Creates a pump.
    ///
    /// - Parameters:
    ///   - body: What to send.
    ///   - eventLoop: Where the pump lives.
    ///   - clock: Where its time comes from.
    ///   - sink: Takes what comes of it.
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

    /// The piece that was handed out last has been written.
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

    private func scheduleCheck() {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.check = self.clock.schedule(at: self.clock.now() + Self.checkInterval, on: self.eventLoop) {
            bound.value.lookAgain()
        }
    }

    /// Looks at the length of the file while a piece is on its way.
    private func lookAgain() {
        guard self.pending != nil, let file else { return }
        do {
            try file.checkLength()
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

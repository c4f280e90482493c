// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Sending files: by the system, where nothing stands between us and the socket.
extension HTTP1Handler {
    /// Whether what is written goes to the socket as it is.
    func sendsFiles(_ context: ChannelHandlerContext) -> Bool {
        (try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)) == nil
    }

    func startPump(_ file: FileBody, of entry: Active, context: ChannelHandlerContext) {
        let pump = FileBodyPump(
            file,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self] outcome in self?.pumped(outcome) }
        entry.io.pump = pump
        pump.pull(room: self.room)
    }

    private func pumped(_ outcome: FileBodyPump.Outcome) {
        guard let context, let active, let pump = active.io.pump as? FileBodyPump else { return }
        switch outcome {
        case .failed(let error):
            self.fail(error)
        case .end:
            active.io.pump = nil
            self.didSend(active)
        case .piece(let region, let file):
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenComplete { [weak self, weak pump] result in
                withExtendedLifetime(file) {
                    switch result {
                    case .failure(let error):
                        self?.noteWriteFault(error)
                    case .success:
                        if let self { self.state.noteActivity(self.pool.clock.now()) }
                        pump?.didWrite()
                    }
                }
            }
            active.io.response.metrics.requestByteCount += Int64(region.readableBytes)
            active.io.response.metrics.requestBodyByteCount += Int64(region.readableBytes)
            context.writeAndFlush(NIOAny(region), promise: promise)
            self.state.noteUnsent(self.bufferedByteCount)
        }
    }
}

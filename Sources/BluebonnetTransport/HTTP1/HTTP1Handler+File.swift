// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Sending files with `sendfile`, if no TLS is between the handler and the socket.
extension HTTP1Handler {
    /// Whether bytes are written to the socket without TLS.
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
            active.io.response.metrics.requestBodyByteCount += Int64(region.readableBytes)
            let byteCount = region.readableBytes
            self.write(NIOAny(region), byteCount, of: active, context: context, isFile: true) { [weak pump] in
                withExtendedLifetime(file) { pump?.didWrite() }
            }
            context.flush()
            self.state.noteUnsent(context.unsentByteCount)
        }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import Synchronization

/// Lets a peer send one piece at a time, whenever a test says so: slow is what the test's clock calls slow.
final class Ticker: Sendable {
    private let state = Mutex<(channel: (any Channel)?, pieces: ArraySlice<[UInt8]>)>((nil, []))

    /// Takes over what a peer still has to send.
    func attach(_ channel: any Channel, _ pieces: [[UInt8]]) {
        self.state.withLock { $0 = (channel, pieces[...]) }
    }

    /// Waits until a peer has got to where it may send; the time limit of the suite is the limit.
    func waitForPeer() async throws {
        while self.state.withLock({ $0.channel == nil }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Sends the next piece, if there is one; returns when the system has it.
    func tick() async {
        let (channel, piece) = self.state.withLock { ($0.channel, $0.pieces.popFirst()) }
        guard let channel, let piece else { return }
        try? await channel.writeAndFlush(ByteBuffer(bytes: piece))
    }
}

extension Channel {
    /// Closes the socket without a word of TLS, if there is TLS; on the event loop.
    func closeBelowTLS() {
        guard let context = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return self.close(promise: nil)
        }
        // What begins here goes past that handler.
        context.close(promise: nil)
    }
}

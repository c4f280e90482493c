// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// Reports changes of the network while there is a subscriber.
///
/// The kernel reports changes of links, addresses and routes on a socket (rtnetlink(7)) that an event loop reads: no
/// thread blocks, and nothing is polled. No socket is open while there is no subscriber.
final class NetworkWatch: Sendable {
    private enum State {
        case closed
        case opening(isWanted: Bool)
        case open(any Channel)
    }

    private let source: NetworkChanges
    private let state = Mutex(State.closed)

    init(_ source: NetworkChanges) {
        self.source = source
    }

    deinit {
        self.stop()
    }

    /// Starts, unless it is running.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop that reads.
    ///   - onChange: Called on the event loop.
    func start(on eventLoop: any EventLoop, _ onChange: @escaping @Sendable () -> Void) {
        let isNew = self.state.withLock { state in
            switch state {
            case .closed:
                state = .opening(isWanted: true)
                return true
            case .opening:
                state = .opening(isWanted: true)
                return false
            case .open:
                return false
            }
        }
        guard isNew else { return }
        // Event loops that are not NIOPosix's cannot read descriptors.
        guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop), let descriptor = self.source.open() else {
            return self.state.withLock { $0 = .closed }
        }
        bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ChangeHandler(onChange))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenComplete { result in self.didOpen(result, descriptor) }
    }

    /// Stops, if it is running.
    func stop() {
        let channel = self.state.withLock { state -> (any Channel)? in
            switch state {
            case .closed: return nil
            case .opening:
                state = .opening(isWanted: false)
                return nil
            case .open(let channel):
                state = .closed
                return channel
            }
        }
        channel?.close(promise: nil)
    }

    private func didOpen(_ result: Result<any Channel, any Error>, _ descriptor: CInt) {
        guard case .success(let channel) = result else {
            // The descriptor cannot be read; changes of the network are not noticed then.
            self.source.close(descriptor)
            return self.state.withLock { $0 = .closed }
        }
        let isWanted = self.state.withLock { state in
            guard case .opening(isWanted: true) = state else {
                state = .closed
                return false
            }
            state = .open(channel)
            return true
        }
        guard isWanted else { return channel.close(promise: nil) }
        // A channel that an error has closed must not keep the next start from opening another one.
        channel.closeFuture.whenComplete { [weak self] _ in self?.didClose(channel) }
    }

    private func didClose(_ channel: any Channel) {
        self.state.withLock { state in
            if case .open(let current) = state, current === channel { state = .closed }
        }
    }

    /// Reports that something was read.
    private final class ChangeHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let onChange: @Sendable () -> Void

        init(_ onChange: @escaping @Sendable () -> Void) {
            self.onChange = onChange
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            self.onChange()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A receive buffer overflow also means that something changed.
            self.onChange()
            context.close(promise: nil)
        }
    }
}

/// The source of network changes: a descriptor that becomes readable after each.
package struct NetworkChanges: Sendable {
    private let makeDescriptor: @Sendable () -> CInt?

    /// Creates a source.
    ///
    /// - Parameter makeDescriptor: Opens a descriptor, which the caller owns; nil if there is none.
    package init(_ makeDescriptor: @escaping @Sendable () -> CInt?) {
        self.makeDescriptor = makeDescriptor
    }

    func open() -> CInt? { self.makeDescriptor() }

    func close(_ descriptor: CInt) { Self.closeDescriptor(descriptor) }
}

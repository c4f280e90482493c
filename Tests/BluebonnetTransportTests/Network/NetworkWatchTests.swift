// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The watch for changes of the network, over pipes in place of the kernel's socket.
@Suite(.timeLimit(.minutes(1))) struct NetworkWatchTests {
    private final class Pipes: Sendable {
        private let outputs = Mutex([CInt]())

        var count: Int { self.outputs.withLock { $0.count } }

        func open() -> CInt? {
            var ends: [CInt] = [0, 0]
            guard pipe(&ends) == 0 else { return nil }
            self.outputs.withLock { $0.append(ends[1]) }
            return ends[0]
        }

        /// A change of the network, as a byte in a pipe.
        func happen(in index: Int) { _ = self.outputs.withLock { write($0[index], "x", 1) } }

        /// Ends a pipe.
        func end(_ index: Int) {
            self.outputs.withLock { outputs in
                close(outputs[index])
                outputs[index] = -1
            }
        }

        deinit { for descriptor in self.outputs.withLock({ $0 }) where descriptor >= 0 { close(descriptor) } }
    }

    @Test(.bug(id: "F192")) func `a watch whose source has ended begins anew with the next start`() async throws {
        let pipes = Pipes()
        let changes = Mutex(0)
        let watch = NetworkWatch(NetworkChanges { pipes.open() })
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        func start() { watch.start(on: loop) { changes.withLock { $0 += 1 } } }
        start()
        #expect(pipes.count == 1)
        pipes.end(0)
        while pipes.count < 2 {
            start()
            await Task.yield()
        }
        let before = changes.withLock { $0 }
        pipes.happen(in: 1)
        while changes.withLock({ $0 }) == before { await Task.yield() }
        watch.stop()
    }
}

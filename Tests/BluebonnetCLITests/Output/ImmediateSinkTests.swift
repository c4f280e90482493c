// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetCLI

/// Which outputs never wait for a reader, so that an event loop may write to them.
@Suite struct ImmediateSinkTests {
    private func isImmediate(_ descriptor: Int32) -> Bool {
        defer { close(descriptor) }
        return FileDescriptorSink(descriptor: descriptor, name: "it").isImmediate
    }

    @Test func `the null device and files are immediate`() throws {
        #expect(self.isImmediate(open("/dev/null", O_WRONLY)))
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { unlink(path) }
        #expect(self.isImmediate(open(path, O_WRONLY | O_CREAT, 0o600)))
        #expect(try FileSink(path: path).isImmediate)
    }

    @Test func `pipes, sockets, terminals and other devices are not`() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        #expect(!self.isImmediate(ends[1]))
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        close(ends[0])
        #expect(!self.isImmediate(ends[1]))
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        #expect(terminal >= 0)
        #expect(!self.isImmediate(terminal))
        #expect(!self.isImmediate(open("/dev/zero", O_WRONLY)))
        #expect(!FileDescriptorSink(descriptor: -1, name: "closed").isImmediate)
        #expect(!MemorySink().isImmediate)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct EventLoopsTests {
    @Test func `too few descriptors are an error that says what to do, and none stays open`() {
        var opened = [CInt]()
        let error = #expect(throws: TransportError.self) {
            try EventLoops.check(descriptors: 10) {
                guard opened.count < 4 else {
                    errno = EMFILE
                    return -1
                }
                opened.append(open("/dev/null", O_RDONLY | O_CLOEXEC))
                return opened.last ?? -1
            }
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.phase == .connect)
        #expect(error?.isRequestSent == false)
        #expect(error?.reason.contains("ulimit -n") == true)
        #expect(error?.reason.contains("only 4 can be opened (Too many open files)") == true)
        #expect(error?.cause == .descriptorsExhausted)
        #expect(opened.count == 4)
        #expect(throws: Never.self) { try EventLoops.check(descriptors: 10) }
    }

    @Test(.bug(id: "F369")) func `the limit of the process is looked up`() {
        #expect(throws: Never.self) { try EventLoops.checkLimit(descriptors: 10) }
        let error = #expect(throws: TransportError.self) { try EventLoops.checkLimit(descriptors: .max) }
        #expect(error?.code == .connectFailed)
        #expect(error?.reason.hasSuffix("(Too many open files); raise the limit of the process (ulimit -n)") == true)
    }

    @Test func `another reason than the limit is told without advice about the limit`() {
        let error = #expect(throws: TransportError.self) {
            try EventLoops.check(descriptors: 10) {
                errno = ENOENT
                return -1
            }
        }
        #expect(error?.reason.contains("ulimit") == false)
        #expect(error?.reason.hasSuffix("(No such file or directory, /dev/null)") == true)
    }

    @Test(.bug(id: "F670"), arguments: [0, 6]) func `too few threads are an error that says what to do`(
        _ available: Int
    ) {
        let error = #expect(throws: TransportError.self) {
            try EventLoops.check(threads: 7) { Swift.min($0, available) }
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.phase == .connect)
        #expect(error?.isRequestSent == false)
        #expect(error?.reason.contains("needs 7 threads, and only \(available) can be started") == true)
        #expect(error?.reason.contains("ulimit -u") == true)
    }

    @Test(.bug(id: "F670")) func `threads are counted by starting them`() {
        #expect(throws: Never.self) { try EventLoops.check(threads: 7) }
    }

    @Test func `a group that was given is used and needs no check`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoops = EventLoops(group)
        try eventLoops.prepare()
        #expect(eventLoops.next() === group.next())
        try await group.shutdownGracefully()
    }
}

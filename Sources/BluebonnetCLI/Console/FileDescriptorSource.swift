// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A source that reads from an open file descriptor, which it does not own.
struct FileDescriptorSource: InputSource {
    private let descriptor: Int32

    static let standardInput = FileDescriptorSource(descriptor: STDIN_FILENO)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    private var status: stat? {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 ? status : nil
    }

    var isPiped: Bool {
        // A character device is a terminal or /dev/null: neither contains a body.
        guard let mode = self.status?.st_mode else { return false }
        return [S_IFIFO, S_IFSOCK, S_IFREG].contains(mode & S_IFMT)
    }

    var remainingByteCount: Int64? {
        guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(self.descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : max(0, Int64(status.st_size) - Int64(position))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        while true {
            try Interrupts.wait(for: Int32(POLLIN), on: self.descriptor)
            #if canImport(Glibc)
            let count = Glibc.read(self.descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
            let count = Musl.read(self.descriptor, buffer.baseAddress, buffer.count)
            #else
            let count = Darwin.read(self.descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            switch errno {
            case EINTR, EAGAIN: continue
            default: throw .usage("cannot read standard input: \(SystemError.text(of: errno))")
            }
        }
    }

    func waitUntilReadable(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        let result = poll(&entry, 1, milliseconds)
        // After an error of poll, read reports the problem.
        return result != 0
    }
}

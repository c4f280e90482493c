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

/// A sink that writes to an open file descriptor, which it does not own.
struct FileDescriptorSink: OutputSink {
    private let descriptor: Int32
    /// The name of the output in error messages.
    private let name: String
    let isTerminal: Bool
    let isImmediate: Bool

    static let standardOutput = FileDescriptorSink(descriptor: STDOUT_FILENO, name: "standard output")
    static let standardError = FileDescriptorSink(descriptor: STDERR_FILENO, name: "standard error")

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        self.isTerminal = isatty(descriptor) == 1
        self.isImmediate = Self.isImmediate(descriptor)
    }

    private static func isImmediate(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        if status.st_mode & S_IFMT == S_IFREG { return true }
        var null = stat()
        return status.st_mode & S_IFMT == S_IFCHR && stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
    }

    var columns: Int { self.window.map { Int($0.ws_col) } ?? 80 }

    var rows: Int { self.window.map { max(Int($0.ws_row), 1) } ?? 24 }

    var cell: PictureBox {
        guard let window, window.ws_row > 0, window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row else {
            return .cell
        }
        return PictureBox(width: Int(window.ws_xpixel / window.ws_col), height: Int(window.ws_ypixel / window.ws_row))
    }

    /// The size of the terminal's window; nil if the descriptor is not a terminal.
    private var window: winsize? {
        var size = winsize()
        // Not cached: the window may be resized while a progress bar is shown.
        guard ioctl(self.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return size
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        guard let start = bytes.baseAddress else { return }
        var written = 0
        while written < bytes.count {
            #if canImport(Glibc)
            let count = Glibc.write(self.descriptor, start + written, bytes.count - written)
            #elseif canImport(Musl)
            let count = Musl.write(self.descriptor, start + written, bytes.count - written)
            #else
            let count = Darwin.write(self.descriptor, start + written, bytes.count - written)
            #endif
            if count >= 0 {
                written += count
            } else {
                try self.recover(from: errno)
            }
        }
    }

    private func recover(from code: Int32) throws(CommandFailure) {
        switch code {
        case EINTR:
            return
        case EAGAIN:
            // The descriptor is non-blocking (a named pipe; another program can set that on a shared terminal): wait for space.
            try Interrupts.wait(for: Int32(POLLOUT), on: self.descriptor)
        case EPIPE:
            throw CommandFailure(.outputClosed, "\(self.name) was closed by its reader")
        default:
            throw .usage("cannot write to \(self.name): \(SystemError.text(of: code))")
        }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import NIOCore

extension TransportBody {
    /// Bytes in memory are sent in one write with the head, and in pieces only if they are monitored and many.
    private static var largestWatchedPiece: Int { 64 * 1024 }

    /// The most that is copied into one buffer, which holds less than 4 GiB.
    static var largestPiece: Int { 256 * 1024 * 1024 }

    /// Converts a request's body into the transport's.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - monitor: Counts the bytes that have been read; nil if nobody observes them.
    init(_ body: RequestBody, monitor: TransferMonitor?) {
        switch body {
        case .none:
            // After a redirect to GET, the bytes that were sent before it stay counted.
            if let upload = monitor?.upload, upload.current.completed == 0 { upload.begin(total: 0) }
            self = .none
        case .data(let data) where data.count <= (monitor == nil ? Self.largestPiece : Self.largestWatchedPiece):
            monitor?.upload.begin(total: Int64(data.count))
            self = .bytes(ByteBuffer(bytes: data))
        default:
            let length = body.contentLength
            if case .file(let url) = body {
                // The transport refuses a file that cannot be inspected, with the reason, before anything is sent.
                self = .file(FileBody(url, byteCount: length ?? 1, monitor: monitor))
                return
            }
            self = .reader(length: length, isReplayable: body.isReplayable) {
                // A second reader is a second attempt, whose count starts at zero.
                monitor?.upload.begin(total: length)
                return MonitoredBodyReader(try body.makeReader(), monitor: monitor)
            }
        }
    }
}

extension FileBody {
    /// Creates the body for a file whose size has just been read.
    fileprivate init(_ url: URL, byteCount: Int64, monitor: TransferMonitor?) {
        self.init(path: url.path(percentEncoded: false), byteCount: byteCount)
        guard let monitor else { return }
        self.onBytes = { count in
            // A second reader is a second attempt, whose count starts at zero.
            if count == 0 { monitor.upload.begin(total: byteCount) } else { monitor.upload.add(count) }
        }
    }
}

/// Passes a request's bytes to the transport and counts them.
private struct MonitoredBodyReader: TransportBodyReader {
    private var reader: any BodyReader
    private let monitor: TransferMonitor?

    init(_ reader: any BodyReader, monitor: TransferMonitor?) {
        self.reader = reader
        self.monitor = monitor
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.reader.read(into: buffer)
        // The end of a body without a length is known only now.
        if count > 0 { self.monitor?.upload.add(count) } else { self.monitor?.upload.complete() }
        return count
    }

    var delayBeforeNextRead: Duration { self.reader.delayBeforeNextRead }

    var isReadable: Bool { self.reader.isReadable }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.reader.whenReadable(notify) }
}

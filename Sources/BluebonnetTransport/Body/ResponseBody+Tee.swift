// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore
import Synchronization

/// Receives a copy of a response body while its consumer reads it, for a recorder or a cache; see
/// ``ResponseBody/tee(to:)``.
///
/// Calls are sequential: any number of ``write(_:)``, then exactly one of ``finish(trailers:metrics:)`` and
/// ``abort(_:)``.
public protocol ResponseBodySink: Sendable {
    /// Receives the next bytes; the consumer receives them after this returns.
    ///
    /// - Parameter bytes: At least one byte.
    /// - Throws: Any error if the sink wants no more bytes: it is not called again, and the consumer continues without
    ///   it.
    func write(_ bytes: ByteBuffer) async throws

    /// Receives the end of a complete body.
    ///
    /// - Parameters:
    ///   - trailers: The trailer fields; nil if there were none.
    ///   - metrics: The measurements of the whole exchange; nil for a collected body.
    func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async

    /// Receives the end of an incomplete body.
    ///
    /// It may be called on any thread, and must not block.
    ///
    /// - Parameter error: The cause; `CancellationError` if the consumer abandoned the body.
    func abort(_ error: any Error)
}

extension ResponseBody {
    /// Copies the body to a sink while its consumer reads it.
    ///
    /// Back-pressure is preserved: a buffer is read from the server when the consumer asks for it, and passed to the
    /// sink before the consumer receives it. Trailer fields and measurements are passed on. A collected body is written
    /// to the sink before this returns.
    ///
    /// - Parameter sink: Receives the copy.
    /// - Returns: The body for the consumer; the original must not be read any more.
    public func tee(to sink: any ResponseBodySink) async -> ResponseBody {
        switch self.storage {
        case .streamed(let source, let expectedLength):
            return ResponseBody(source: TeeSource(source, sink: sink), expectedLength: expectedLength)
        case .collected(let bytes, let trailers):
            do {
                if bytes.readableBytes > 0 { try await sink.write(bytes) }
                await sink.finish(trailers: trailers, metrics: nil)
            } catch {
                // The sink wants no more bytes.
            }
            return self
        }
    }
}

/// Passes the buffers it reads to a sink as well.
private final class TeeSource: ResponseBody.Source, ErrorConverting {
    private let base: any ResponseBody.Source
    /// The sink, until it has received the end or wants no more bytes.
    private let sink: Mutex<(any ResponseBodySink)?>

    init(_ base: any ResponseBody.Source, sink: any ResponseBodySink) {
        self.base = base
        self.sink = Mutex(sink)
    }

    deinit {
        self.takeSink()?.abort(CancellationError())
    }

    var executor: (any TaskExecutor)? { self.base.executor }
    var trailers: HTTPFields? { self.base.trailers }
    var metrics: ExchangeMetrics? { self.base.metrics }
    var remainingByteCount: Int64? { self.base.remainingByteCount }

    func next() async throws -> ByteBuffer? {
        let bytes: ByteBuffer?
        do {
            bytes = try await self.base.next()
        } catch {
            self.takeSink()?.abort(error)
            throw error
        }
        guard let bytes else {
            await self.takeSink()?.finish(trailers: self.base.trailers, metrics: self.base.metrics)
            return nil
        }
        do {
            try await self.sink.withLock { $0 }?.write(bytes)
        } catch {
            _ = self.takeSink()
        }
        return bytes
    }

    func abandon() {
        self.base.abandon()
        self.takeSink()?.abort(CancellationError())
    }

    func converted(_ error: TransportError) -> any Error {
        (self.base as? any ErrorConverting)?.converted(error) ?? error
    }

    private func takeSink() -> (any ResponseBodySink)? {
        self.sink.withLock { $0.take() }
    }
}

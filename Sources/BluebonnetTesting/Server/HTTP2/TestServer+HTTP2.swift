// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2

extension TestServer {
    /// How a ``TestServer`` speaks HTTP/2; see ``Configuration/http2``.
    public struct HTTP2: Sendable, Hashable {
        /// The requests that a client may have under way at a time: 100 unless changed.
        public var maximumConcurrentStreams = 100

        /// The bytes of a request's body that a client may send before the server has read some: 65,535 unless changed.
        ///
        /// With 0 no body is ever sent, unless ``HTTP2Fault/settings(_:_:)`` of another response allows it.
        public var initialWindowSize = 65_535

        /// The bytes that a frame of a client may have: 16,384 unless changed, which is the least.
        public var maximumFrameSize = 16_384

        /// Creates the default options.
        public init() {}
    }
}

extension TestServer.HTTP2 {
    /// The settings that a connection begins with.
    var settings: [HTTP2Setting] {
        [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: self.maximumConcurrentStreams),
            HTTP2Setting(parameter: .initialWindowSize, value: self.initialWindowSize),
            HTTP2Setting(parameter: .maxFrameSize, value: self.maximumFrameSize),
        ]
    }

    /// Adds the handlers of HTTP/2 to a connection.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - makeStream: Adds what answers the request of a stream.
    /// - Throws: What adding them throws.
    func configure(_ channel: any Channel, _ makeStream: @escaping @Sendable (any Channel) throws -> Void) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = self.settings
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A test may give up more requests than any client does that means well.
        stream.streamResetFrameRateLimit.maximumCount = 1_000_000
        stream.targetWindowSize = self.initialWindowSize
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: stream
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try makeStream(stream) }
        }
    }
}

extension HTTP2Fault {
    /// Carries it out on a stream.
    func carryOut(on stream: any Channel, _ context: ChannelHandlerContext) {
        switch self {
        case .resetStream(_, let code):
            let payload = HTTP2Frame.FramePayload.rstStream(HTTP2ErrorCode(networkCode: Int(code.rawValue)))
            context.writeAndFlush(NIOAny(payload), promise: nil)
        case .goAway(_, let code, let isProcessed):
            let number = (try? stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)).map { Int($0) } ?? 0
            let last = HTTP2StreamID(isProcessed ? number : max(0, number - 2))
            Self.send(
                .goAway(
                    lastStreamID: last,
                    errorCode: HTTP2ErrorCode(networkCode: Int(code.rawValue)),
                    opaqueData: nil
                ),
                on: stream
            )
        case .settings(_, let settings): Self.send(.settings(.settings(settings.map(\.engine))), on: stream)
        case .ping: Self.send(.ping(HTTP2PingData(withInteger: 1), ack: false), on: stream)
        }
    }

    /// Writes a frame of the connection.
    private static func send(_ payload: HTTP2Frame.FramePayload, on stream: any Channel) {
        stream.parent?.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
    }
}

extension HTTP2Fault.Setting {
    fileprivate var engine: HTTP2Setting {
        switch self {
        case .maximumConcurrentStreams(let value): HTTP2Setting(parameter: .maxConcurrentStreams, value: value)
        case .initialWindowSize(let value): HTTP2Setting(parameter: .initialWindowSize, value: value)
        case .maximumFrameSize(let value): HTTP2Setting(parameter: .maxFrameSize, value: value)
        }
    }
}

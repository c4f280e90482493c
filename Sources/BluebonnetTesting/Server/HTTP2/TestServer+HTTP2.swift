// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2

extension TestServer {
    /// The HTTP/2 options of a ``TestServer``; see ``Configuration/http2``.
    public struct HTTP2: Sendable, Hashable {
        /// The maximum number of concurrent requests of a client: 100 unless changed.
        public var maximumConcurrentStreams: UInt32 = 100

        /// The initial flow-control window: the bytes of a request body that a client may send before the server has
        /// read some: 65,535 unless changed.
        ///
        /// With 0 no body is ever sent, unless ``HTTP2Fault/settings(_:_:)`` of another response allows it.
        public var initialWindowSize: UInt32 = 65_535

        /// The maximum payload of a client's frame in bytes: 16,384 unless changed, which is the minimum.
        public var maximumFrameSize: UInt32 = 16_384

        /// Creates the default options.
        public init() {}
    }
}

extension TestServer.HTTP2 {
    /// The initial settings of a connection.
    var settings: [HTTP2Setting] {
        [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(self.maximumConcurrentStreams)),
            HTTP2Setting(parameter: .initialWindowSize, value: Int(self.initialWindowSize)),
            HTTP2Setting(parameter: .maxFrameSize, value: Int(self.maximumFrameSize)),
        ]
    }

    /// Adds the HTTP/2 handlers to a connection.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - makeStream: Adds the handlers of a stream's request.
    /// - Throws: The error of adding them.
    func configure(_ channel: any Channel, _ makeStream: @escaping @Sendable (any Channel) throws -> Void) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = self.settings
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A test may reset more streams than any well-behaved client does.
        stream.streamResetFrameRateLimit.maximumCount = 1_000_000
        stream.targetWindowSize = Int(self.initialWindowSize)
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
    /// Carries out the fault on a stream.
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

    /// Writes a frame on the connection.
    private static func send(_ payload: HTTP2Frame.FramePayload, on stream: any Channel) {
        stream.parent?.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
    }
}

extension HTTP2Fault.Setting {
    fileprivate var engine: HTTP2Setting {
        switch self {
        case .maximumConcurrentStreams(let value): HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(value))
        case .initialWindowSize(let value): HTTP2Setting(parameter: .initialWindowSize, value: Int(value))
        case .maximumFrameSize(let value): HTTP2Setting(parameter: .maxFrameSize, value: Int(value))
        }
    }
}

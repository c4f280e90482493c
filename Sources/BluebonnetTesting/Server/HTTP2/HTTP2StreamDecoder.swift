// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Converts the frames of a stream to the parts of a request.
///
/// The fields are unchanged, in lower case; only `:authority` becomes Host.
final class HTTP2StreamDecoder: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTPServerRequestPart

    private var hasHead = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .headers(let frame):
            if self.hasHead {
                context.fireChannelRead(self.wrapInboundOut(.end(Self.fields(frame.headers))))
            } else {
                self.hasHead = true
                context.fireChannelRead(self.wrapInboundOut(.head(Self.head(frame.headers))))
                if frame.endStream { context.fireChannelRead(self.wrapInboundOut(.end(nil))) }
            }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 {
                context.fireChannelRead(self.wrapInboundOut(.body(bytes)))
            }
            if frame.endStream { context.fireChannelRead(self.wrapInboundOut(.end(nil))) }
        default:
            break
        }
    }

    private static func head(_ block: HPACKHeaders) -> HTTPRequestHead {
        var fields = Self.fields(block)
        if let authority = block.first(name: ":authority"), !fields.contains(name: "host") {
            fields.add(name: "host", value: authority)
        }
        return HTTPRequestHead(
            version: .http2,
            method: HTTPMethod(rawValue: block.first(name: ":method") ?? "GET"),
            uri: block.first(name: ":path") ?? "/",
            headers: fields
        )
    }

    private static func fields(_ block: HPACKHeaders) -> HTTPHeaders {
        HTTPHeaders(block.lazy.filter { !$0.name.utf8.starts(with: ":".utf8) }.map { ($0.name, $0.value) })
    }
}

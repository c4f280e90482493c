// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1

/// A handler in front of the decoder of HTTP/1.1 that remembers how a request begins.
///
/// The decoder fails at a method that it does not know, and says neither where nor whether it is one.
final class RequestLineObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Whether the decoder has delivered the end of every request that it has begun.
    var isBetweenRequests = true

    /// The last bytes that were read, if they begin a request.
    private var beginning: ByteBuffer?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.beginning = self.isBetweenRequests ? self.unwrapInboundIn(data) : nil
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.beginning = nil
    }

    /// Whether the last request begins with a valid request line (RFC 9112 section 3) whose method the decoder does not
    /// know.
    ///
    /// One that arrives in pieces, or behind another request, does not count.
    var hasUnknownMethod: Bool {
        guard let view = self.beginning?.readableBytesView.drop(while: { $0 == 0x0D || $0 == 0x0A }),
            let end = view.firstIndex(of: 0x0A)
        else { return false }
        var line = view[..<end]
        if line.last == 0x0D { line.removeLast() }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[1].isEmpty, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            words[2].starts(with: "HTTP/1.".utf8)
        else { return false }
        let method = String(decoding: words[0], as: UTF8.self)
        guard HTTPRequest.Method(method) != nil, case .RAW = HTTPMethod(rawValue: method) else { return false }
        return true
    }
}

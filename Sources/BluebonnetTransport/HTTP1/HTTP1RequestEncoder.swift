// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Writes the head of an HTTP/1.1 request (RFC 9112 section 3), and refuses what could be read as more than one.
enum HTTP1RequestEncoder {
    /// How the body's end is told to the peer.
    enum BodyFraming: Equatable {
        case none
        case fixed(Int64)
        case chunked
    }

    /// Refuses a request that cannot be sent, before a connection is taken for it.
    static func validate(_ request: TransportRequest) throws(TransportError) {
        guard !request.method.rawValue.isEmpty else { throw .invalid("the method is empty") }
        // The type has made sure that a method is a token; its description is checked again because it goes out unescaped.
        guard request.method.rawValue.utf8.allSatisfy(Self.isVisible) else {
            throw .invalid("the method holds bytes that are not allowed in a method")
        }
        guard request.method != .connect else { throw .invalid("CONNECT opens a tunnel, which is no exchange") }
        guard request.target.utf8.first == UInt8(ascii: "/") || (request.target == "*" && request.method == .options)
        else {
            throw .invalid("the request target does not begin with /")
        }
        guard request.target.utf8.allSatisfy({ Self.isVisible($0) && $0 != UInt8(ascii: "#") }) else {
            throw .invalid(
                "the request target holds spaces, control characters, # or bytes outside ASCII; percent-encode them"
            )
        }
        try Self.validate(request.origin)
        if case .file(let file) = request.body { try file.validate() }
        var hasHost = false
        for field in request.headers {
            if field.name.canonicalName == "host" {
                // Two of them, or one that reads differently to different servers, could send a request elsewhere (RFC 9112 section 3.2).
                guard !hasHost, field.value.utf8.allSatisfy(Self.isHost) else {
                    throw .invalid("the header Host is there twice, or holds bytes that are not allowed in a host")
                }
                hasHost = true
            }
            let isSafe = field.withUnsafeBytesOfValue { $0.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
            guard isSafe else { throw .invalid("the value of header \(field.name) holds CR, LF or NUL") }
        }
    }

    /// Refuses an origin that cannot be connected to, or that would read as something else to a proxy.
    static func validate(_ origin: Origin) throws(TransportError) {
        guard !origin.host.isEmpty, origin.host.utf8.allSatisfy(Self.isHost) else {
            throw .invalid("the host is empty or holds bytes that are not allowed in a host")
        }
        guard (1...65535).contains(origin.port) else { throw .invalid("the port is not between 1 and 65535") }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Whether a byte may stand in a host with its port, whatever else it has to look like (RFC 3986 section 3.2).
    private static func isHost(_ byte: UInt8) -> Bool {
        guard Self.isVisible(byte) else { return false }
        return switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"),
            UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: ","):
            false
        default: true
        }
    }

    /// How the body of a request is framed.
    static func framing(of request: TransportRequest) -> BodyFraming {
        // Only chunks have trailers (RFC 9112 section 7.1.2).
        if request.trailers != nil { return .chunked }
        switch request.body {
        case .bytes(let buffer): return .fixed(Int64(buffer.readableBytes))
        case .reader(let length?, _, _): return .fixed(length)
        case .reader(nil, _, _): return .chunked
        case .file(let file): return .fixed(file.byteCount)
        case .none:
            // RFC 9110 section 8.6: a method that expects content says that there is none.
            let expectsContent = request.method == .post || request.method == .put || request.method == .patch
            return expectsContent ? .fixed(0) : .none
        }
    }

    /// Writes the head of a request that was validated.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - framing: How its body's end is told.
    ///   - forwarder: The proxy that is to forward it, if it goes to one: it gets the whole URL (RFC 9112 section 3.2.2) and the fields that are for it.
    ///   - buffer: Where the head goes.
    /// - Returns: Whether the request asks for its connection to be closed.
    static func write(
        _ request: TransportRequest,
        framing: BodyFraming,
        forwarder: Proxy? = nil,
        into buffer: inout ByteBuffer
    ) -> Bool {
        buffer.writeString(request.method.rawValue)
        buffer.writeInteger(UInt8(ascii: " "))
        if forwarder != nil { buffer.writeString("\(request.origin)") }
        // RFC 9112 section 3.2.4: to a proxy, the asterisk is a URL without a path.
        if forwarder == nil || request.target != "*" { buffer.writeString(request.target) }
        buffer.writeStaticString(" HTTP/1.1\r\n")
        var hasHost = false
        var closes = false
        for field in request.headers {
            switch field.name {
            case .contentLength, .transferEncoding: continue
            case .connection: closes = closes || field.value.listElements.contains { $0.lowercased() == "close" }
            default: hasHost = hasHost || field.name.canonicalName == "host"
            }
        }
        if !hasHost { Self.writeField("Host", request.origin.authority, into: &buffer) }
        for field in request.headers where !Self.isComputed(field.name, of: request) {
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes($0) }
            buffer.writeStaticString("\r\n")
        }
        forwarder?.writeFields(into: &buffer)
        if request.expectsContinue != nil, framing != .none, framing != .fixed(0) {
            Self.writeField("Expect", "100-continue", into: &buffer)
        }
        switch framing {
        case .none: break
        case .fixed(let length): Self.writeField("Content-Length", String(length), into: &buffer)
        case .chunked: Self.writeField("Transfer-Encoding", "chunked", into: &buffer)
        }
        buffer.writeStaticString("\r\n")
        return closes
    }

    /// Whether the engine writes a field itself and drops what the caller says.
    private static func isComputed(_ name: HTTPField.Name, of request: TransportRequest) -> Bool {
        name == .contentLength || name == .transferEncoding || name.isForProxy
            || (name == .expect && request.expectsContinue != nil)
    }

    private static func writeField(_ name: StaticString, _ value: String, into buffer: inout ByteBuffer) {
        buffer.writeStaticString(name)
        buffer.writeStaticString(": ")
        buffer.writeString(value)
        buffer.writeStaticString("\r\n")
    }
}

extension TransportError {
    /// The request cannot be sent as it is.
    static func invalid(_ reason: String) -> TransportError {
        TransportError(.invalidRequest, phase: .write, reason: reason)
    }
}

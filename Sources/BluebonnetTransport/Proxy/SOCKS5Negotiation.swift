// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Requests a connection from a SOCKS 5 proxy (RFC 1928), with user name and password if there are any (RFC 1929).
struct SOCKS5Negotiation: ProxyNegotiation {
    /// The destination that the proxy connects to.
    enum Destination: Sendable {
        /// A name of 1 to 255 bytes, which the proxy resolves.
        case name(String)
        case address(IPAddress)
    }

    private enum State {
        case method, authentication, response, done
    }

    private enum Method {
        static let none: UInt8 = 0
        static let password: UInt8 = 2
        static let noneAcceptable: UInt8 = 0xFF
    }

    private let proxy: Proxy
    private let destination: Destination
    private let port: Int
    private var state = State.method

    private var hasCredentials: Bool { self.proxy.username != nil }

    /// Creates a negotiation.
    ///
    /// - Parameters:
    ///   - proxy: The validated proxy.
    ///   - destination: The destination.
    ///   - port: The port of the destination.
    /// - Throws: An error if the name is too long for the protocol.
    init(proxy: Proxy, destination: Destination, port: Int) throws(TransportError) {
        if case .name(let name) = destination, !(1...255).contains(name.utf8.count) {
            throw .invalid("a host for a SOCKS proxy has 1 to 255 bytes")
        }
        self.proxy = proxy
        self.destination = destination
        self.port = port
    }

    mutating func begin() -> ByteBuffer {
        // RFC 1928 section 3: the version, and the supported methods.
        ByteBuffer(bytes: self.hasCredentials ? [5, 2, Method.none, Method.password] : [5, 1, Method.none])
    }

    mutating func receive(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep {
        switch self.state {
        case .method: try self.readMethod(&buffer)
        case .authentication: try self.readAuthentication(&buffer)
        case .response: try self.readResponse(&buffer)
        case .done: .done
        }
    }

    private mutating func readMethod(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep {
        try self.checkVersion(buffer)
        guard let (_, method) = buffer.readMultipleIntegers(as: (UInt8, UInt8).self) else { return .needsMore }
        switch method {
        case Method.none:
            self.state = .response
            return .send(self.request())
        case Method.password where self.hasCredentials:
            self.state = .authentication
            return .send(self.credentials())
        case Method.noneAcceptable:
            throw .proxyAuthentication(self.proxy)
        default:
            throw .proxyFailed(self.proxy, "chose an authentication method that was not offered (\(method))")
        }
    }

    private mutating func readAuthentication(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep
    {
        // RFC 1929 section 2. Some servers send 5 instead of 1 as the version of this subnegotiation: only the status
        // is checked.
        guard let (_, status) = buffer.readMultipleIntegers(as: (UInt8, UInt8).self) else { return .needsMore }
        guard status == 0 else { throw .proxyAuthentication(self.proxy) }
        self.state = .response
        return .send(self.request())
    }

    private mutating func readResponse(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep {
        // RFC 1928 section 6: version, reply, reserved, address type, address, port.
        try self.checkVersion(buffer)
        let start = buffer.readerIndex
        guard let response = buffer.getInteger(at: start + 1, as: UInt8.self) else { return .needsMore }
        // A failure needs no more bytes; some servers do not send them.
        guard response == 0 else {
            throw .proxyFailed(
                self.proxy,
                "made no connection to \(self.destinationText): \(Self.text(ofResponse: response))"
            )
        }
        guard let kind = buffer.getInteger(at: start + 3, as: UInt8.self) else { return .needsMore }
        let addressLength: Int
        switch kind {
        case 1: addressLength = 4
        case 4: addressLength = 16
        case 3:
            guard let length = buffer.getInteger(at: start + 4, as: UInt8.self) else { return .needsMore }
            addressLength = 1 + Int(length)
        default: throw .proxyFailed(self.proxy, "answered with an address of an unknown kind (\(kind))")
        }
        guard buffer.readSlice(length: 4 + addressLength + 2) != nil else { return .needsMore }
        self.state = .done
        return .done
    }

    private func checkVersion(_ buffer: ByteBuffer) throws(TransportError) {
        guard let version = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return }
        guard version == 5 else { throw .proxyFailed(self.proxy, "does not speak SOCKS 5") }
    }

    private func credentials() -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeInteger(1, as: UInt8.self)
        for text in [self.proxy.username ?? "", self.proxy.password ?? ""] {
            // The lengths were validated: none exceeds 255 bytes.
            buffer.writeInteger(UInt8(clamping: text.utf8.count))
            buffer.writeString(text)
        }
        return buffer
    }

    private func request() -> ByteBuffer {
        // RFC 1928 section 4: version, CONNECT, reserved, address type, address, port.
        var buffer = ByteBuffer(bytes: [5, 1, 0])
        switch self.destination {
        case .address(let address):
            buffer.writeInteger(address.isIPv6 ? 4 : 1, as: UInt8.self)
            buffer.writeBytes(address.bytes)
        case .name(let name):
            buffer.writeInteger(3, as: UInt8.self)
            buffer.writeInteger(UInt8(clamping: name.utf8.count))
            buffer.writeString(name)
        }
        buffer.writeInteger(UInt16(clamping: self.port))
        return buffer
    }

    private var destinationText: String {
        switch self.destination {
        case .name(let name): Authority.text(host: name, port: self.port)
        case .address(let address): Authority.text(host: address.description, port: self.port)
        }
    }

    private static func text(ofResponse response: UInt8) -> String {
        switch response {
        case 1: "it failed for a reason that it does not give"
        case 2: "its rules do not allow it"
        case 3: "the network cannot be reached from there"
        case 4: "the host cannot be reached from there"
        case 5: "the connection was refused there"
        case 6: "the host did not answer in time"
        case 7: "it does not make connections"
        case 8: "it does not know this kind of address"
        default: "it answered with the unknown code \(response)"
        }
    }
}

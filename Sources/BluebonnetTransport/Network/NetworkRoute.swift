// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The kernel's route for an address.
package struct NetworkRoute: Sendable, Equatable {
    /// The index of the outgoing interface.
    package var link: Int32
    /// Whether the source address would be one that replies can reach: neither unspecified nor link-local.
    ///
    /// It is also false if the request specified the source address.
    package var hasSource = false

    /// Parses the answer to ``request(_:from:scope:)``.
    ///
    /// The result is nil if the message is not one, or if the route drops or refuses packets.
    ///
    /// - Parameter message: The kernel's message.
    package init?(_ message: NetlinkMessage) {
        let payload = NetlinkBytes(message.payload[...])
        guard message.kind == NetlinkMessage.Kind.newRoute, let family = payload.number(UInt8.self, at: 0),
            let type = payload.number(UInt8.self, at: 7), let flags = payload.number(UInt32.self, at: 8),
            let fields = payload.dropping(12)
        else { return nil }
        // RTN_UNICAST, RTN_LOCAL; neither RTNH_F_DEAD nor RTNH_F_LINKDOWN.
        guard type == 1 || type == 2, flags & 0x11 == 0 else { return nil }
        var link: Int32?
        var source: ArraySlice<UInt8>?
        for field in NetlinkAttribute.attributes(in: fields) {
            switch field.kind {
            case 4: link = NetlinkBytes(field.value).number(Int32.self, at: 0)
            case 7: source = field.value
            default: break
            }
        }
        guard let link else { return nil }
        self.link = link
        if let source { self.hasSource = Self.isRoutable(source, family: family) }
    }

    /// Whether the answer to ``request(_:from:scope:)`` says that no packet leaves for the address.
    static func isDenied(by answer: NetlinkMessage) -> Bool {
        // EACCES, EINVAL, ENETUNREACH and EHOSTUNREACH, which sending fails with, too; any other error says nothing of routes.
        if let errorNumber = answer.errorNumber { return [-13, -22, -101, -113].contains(errorNumber) }
        guard answer.kind == NetlinkMessage.Kind.newRoute else { return false }
        // RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT.
        return NetlinkBytes(answer.payload[...]).number(UInt8.self, at: 7).map { (6...8).contains($0) } ?? false
    }

    /// Returns a request for the route to an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - source: The local address of the packets; ignored if it is of another family.
    ///   - scope: The interface index in the scope of the address; 0 for none.
    /// - Returns: The request; nil if the address does not have 4 or 16 bytes.
    package static func request(_ address: [UInt8], from source: [UInt8]? = nil, scope: Int32 = 0) -> NetlinkMessage? {
        guard address.count == 4 || address.count == 16 else { return nil }
        var payload = [UInt8](repeating: 0, count: 12)
        payload[0] = address.count == 4 ? Self.ipv4 : Self.ipv6
        payload[1] = UInt8(address.count * 8)
        payload += NetlinkAttribute.encoded(1, address)
        if let source, source.count == address.count {
            payload[2] = payload[1]
            payload += NetlinkAttribute.encoded(2, source)
        }
        if scope != 0 {
            var index = [UInt8]()
            index.append(number: scope)
            payload += NetlinkAttribute.encoded(4, index)
        }
        return NetlinkMessage(kind: NetlinkMessage.Kind.getRoute, flags: NetlinkMessage.request, payload: payload)
    }

    private static let ipv4: UInt8 = 2
    private static let ipv6: UInt8 = 10

    private static func isRoutable(_ source: ArraySlice<UInt8>, family: UInt8) -> Bool {
        guard source.contains(where: { $0 != 0 }) else { return false }
        guard family == Self.ipv6 else { return source.count == 4 }
        // fe80::/10 (RFC 4291 section 2.5.6).
        return source.count == 16 && !(source.first == 0xFE && (source.dropFirst().first ?? 0) & 0xC0 == 0x80)
    }
}

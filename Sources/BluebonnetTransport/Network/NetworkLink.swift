// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A network interface, as the kernel describes it.
package struct NetworkLink: Sendable, Equatable {
    /// The kind of network that an interface belongs to.
    package enum Kind: String, Sendable {
        case loopback, wired, wireless, mobile
    }

    package var index: Int32
    package var name: String
    /// The hardware type (`ARPHRD_…` of `linux/if_arp.h`).
    package var hardware: UInt16
    /// Whether it is up and has a carrier.
    package var isRunning: Bool
    /// The driver's kind, for example `wwan` or `veth`.
    package var driver: String

    /// Parses the answer to ``request(index:)``; nil if the message is not one.
    ///
    /// - Parameter message: The kernel's message.
    package init?(_ message: NetlinkMessage) {
        let payload = NetlinkBytes(message.payload[...])
        guard message.kind == NetlinkMessage.Kind.newLink, let hardware = payload.number(UInt16.self, at: 2),
            let index = payload.number(Int32.self, at: 4), let flags = payload.number(UInt32.self, at: 8),
            let fields = payload.dropping(16)
        else { return nil }
        (self.index, self.hardware, self.name, self.driver) = (index, hardware, "", "")
        // IFF_UP and IFF_RUNNING.
        self.isRunning = flags & 0x41 == 0x41
        for field in NetlinkAttribute.attributes(in: fields) {
            switch field.kind {
            case 3: self.name = Self.text(field.value)
            case 18:
                let driver = NetlinkAttribute.attributes(in: field.value).first { $0.kind == 1 }
                self.driver = driver.map { Self.text($0.value) } ?? ""
            default: break
            }
        }
    }

    /// Returns a request for one interface.
    ///
    /// - Parameter index: The index of the interface.
    /// - Returns: The request.
    package static func request(index: Int32) -> NetlinkMessage {
        var payload: [UInt8] = [0, 0]
        payload.append(number: UInt16(0))
        payload.append(number: index)
        payload.append(number: UInt32(0))
        payload.append(number: UInt32(0))
        return NetlinkMessage(kind: NetlinkMessage.Kind.getLink, flags: NetlinkMessage.request, payload: payload)
    }

    /// Returns the kind of network; what the message does not contain is looked up.
    ///
    /// - Parameter traits: Returns the traits of an interface from sysfs.
    /// - Returns: The kind.
    package func kind(_ traits: (String) -> LinkTraits) -> Kind {
        // ARPHRD_LOOPBACK.
        if self.hardware == 772 { return .loopback }
        // ARPHRD_PPP and ARPHRD_RAWIP, which modems use.
        if self.hardware == 512 || self.hardware == 519 || self.driver == "wwan" { return .mobile }
        if ["wwan", "ppp", "rmnet", "ccmni"].contains(where: { self.isNumbered($0) }) { return .mobile }
        let traits = traits(self.name)
        if traits.isMobile { return .mobile }
        return traits.isWireless ? .wireless : .wired
    }

    /// Whether the name is the prefix followed by something that begins with a digit or an underscore: `wwan0`,
    /// `rmnet_data0`.
    private func isNumbered(_ prefix: String) -> Bool {
        guard self.name.utf8.starts(with: prefix.utf8) else { return false }
        let next = self.name.utf8.dropFirst(prefix.utf8.count).first
        return next.map { $0.isASCIIDigit || $0 == UInt8(ascii: "_") } ?? false
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The traits of an interface in sysfs (`/sys/class/net`).
package struct LinkTraits: Sendable, Equatable {
    package var isWireless = false
    package var isMobile = false

    package init(isWireless: Bool = false, isMobile: Bool = false) {
        (self.isWireless, self.isMobile) = (isWireless, isMobile)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A netlink message between the kernel and a process (netlink(7)).
package struct NetlinkMessage: Sendable, Equatable {
    /// The constants of `linux/netlink.h` and `linux/rtnetlink.h` that are used here.
    package enum Kind {
        package static let error: UInt16 = 2
        package static let done: UInt16 = 3
        package static let newLink: UInt16 = 16
        package static let getLink: UInt16 = 18
        package static let newRoute: UInt16 = 24
        package static let getRoute: UInt16 = 26
    }

    /// The message is a request (`NLM_F_REQUEST`).
    static let request: UInt16 = 1

    private static let headerLength = 16

    var kind: UInt16
    var flags: UInt16 = 0
    var sequence: UInt32 = 0
    var port: UInt32 = 0
    var payload: [UInt8]

    /// The bytes to send.
    var encoded: [UInt8] {
        var bytes = [UInt8]()
        bytes.append(number: UInt32(clamping: Self.headerLength + self.payload.count))
        bytes.append(number: self.kind)
        bytes.append(number: self.flags)
        bytes.append(number: self.sequence)
        bytes.append(number: self.port)
        return bytes + self.payload
    }

    /// The error number in a message of the kind ``Kind/error``: 0 for success, otherwise negative; nil for other
    /// messages.
    var errorNumber: Int32? {
        guard self.kind == Kind.error else { return nil }
        return NetlinkBytes(self.payload[...]).number(Int32.self, at: 0)
    }

    /// Parses the messages of a datagram, up to one that is truncated or has an invalid length.
    static func messages(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var messages = [NetlinkMessage]()
        var rest = datagram
        while let (message, length) = Self.first(in: rest) {
            messages.append(message)
            // Each message begins at a multiple of four bytes; the last one need not be padded.
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return messages
    }

    private static func first(in bytes: ArraySlice<UInt8>) -> (NetlinkMessage, Int)? {
        let header = NetlinkBytes(bytes)
        guard let length = header.number(UInt32.self, at: 0).map(Int.init),
            let kind = header.number(UInt16.self, at: 4),
            let flags = header.number(UInt16.self, at: 6), let sequence = header.number(UInt32.self, at: 8),
            let port = header.number(UInt32.self, at: 12), length >= Self.headerLength, length <= bytes.count
        else { return nil }
        let payload = Array(bytes.prefix(length).dropFirst(Self.headerLength))
        return (NetlinkMessage(kind: kind, flags: flags, sequence: sequence, port: port, payload: payload), length)
    }
}

/// An attribute of a message (rtnetlink(7)).
struct NetlinkAttribute: Sendable, Equatable {
    var kind: UInt16
    var value: ArraySlice<UInt8>

    /// Parses attributes, up to one that is truncated or has an invalid length.
    static func attributes(in bytes: ArraySlice<UInt8>) -> [NetlinkAttribute] {
        var attributes = [NetlinkAttribute]()
        var rest = bytes
        while true {
            let header = NetlinkBytes(rest)
            guard let length = header.number(UInt16.self, at: 0).map(Int.init),
                let kind = header.number(UInt16.self, at: 2), length >= 4, length <= rest.count
            else { return attributes }
            // The two highest bits mark nested attributes and network byte order.
            attributes.append(NetlinkAttribute(kind: kind & 0x3FFF, value: rest.prefix(length).dropFirst(4)))
            rest = rest.dropFirst((length + 3) & ~3)
        }
    }

    /// The bytes to send.
    static func encoded(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes = [UInt8]()
        bytes.append(number: UInt16(clamping: 4 + value.count))
        bytes.append(number: kind)
        bytes += value
        while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
        return bytes
    }
}

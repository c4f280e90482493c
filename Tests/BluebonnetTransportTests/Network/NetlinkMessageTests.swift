// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import FoundationEssentials
import Testing

@testable import BluebonnetTransport

@Suite struct NetlinkMessageTests {
    /// A message with fields: what the kernel says of an interface.
    private static func link(
        index: Int32 = 3,
        name: String = "eth0",
        hardware: UInt16 = 1,
        flags: UInt32 = 0x41,
        driver: String? = nil
    ) -> NetlinkMessage {
        var payload: [UInt8] = [0, 0]
        payload.append(number: hardware)
        payload.append(number: index)
        payload.append(number: flags)
        payload.append(number: UInt32(0))
        payload += NetlinkAttribute.encoded(3, Array(name.utf8) + [0])
        if let driver { payload += NetlinkAttribute.encoded(18, NetlinkAttribute.encoded(1, Array(driver.utf8) + [0])) }
        return NetlinkMessage(kind: NetlinkMessage.Kind.newLink, payload: payload)
    }

    private static func route(
        family: UInt8 = 2,
        type: UInt8 = 1,
        flags: UInt32 = 0,
        link: Int32? = 3,
        source: [UInt8]? = [192, 0, 2, 1]
    ) -> NetlinkMessage {
        var payload: [UInt8] = [family, 32, 0, 0, 254, 0, 0, type]
        payload.append(number: flags)
        if let source { payload += NetlinkAttribute.encoded(7, source) }
        if let link {
            var index = [UInt8]()
            index.append(number: link)
            payload += NetlinkAttribute.encoded(4, index)
        }
        return NetlinkMessage(kind: NetlinkMessage.Kind.newRoute, payload: payload)
    }

    @Test func `what is encoded is read again, several in one datagram`() throws {
        let messages = [
            Self.link(), Self.route(), NetlinkMessage(kind: 3, flags: 2, sequence: .max, port: 7, payload: [1, 2, 3]),
        ]
        var datagram = [UInt8]()
        for message in messages {
            while !datagram.count.isMultiple(of: 4) { datagram.append(0) }
            datagram += message.encoded
        }
        #expect(NetlinkMessage.messages(in: datagram[...]) == messages)
        // The position of a slice makes no difference.
        #expect(NetlinkMessage.messages(in: ([9, 9, 9] + datagram)[3...]) == messages)
    }

    @Test func `a datagram that is cut anywhere gives the messages before the cut`() {
        let first = Self.link(driver: "wwan")
        let datagram = first.encoded + Self.route().encoded
        for count in 0..<datagram.count {
            let messages = NetlinkMessage.messages(in: datagram.prefix(count))
            #expect(messages.count == (count < first.encoded.count ? 0 : 1))
        }
    }

    @Test(arguments: [0, 1, 15, 17, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func `a length that cannot be ends the reading`(_ length: UInt32) {
        var bytes = [UInt8]()
        bytes.append(number: length)
        bytes += [UInt8](repeating: 0, count: 12)
        #expect(NetlinkMessage.messages(in: bytes[...]).isEmpty)
        var field = [UInt8]()
        field.append(number: UInt16(truncatingIfNeeded: length == 17 ? 5 : min(length, 3)))
        field.append(number: UInt16(1))
        #expect(NetlinkAttribute.attributes(in: field[...]).isEmpty)
    }

    @Test func `bytes of any kind stop nobody`() {
        var random = SystemRandomNumberGenerator()
        let valid = Self.link(driver: "wwan").encoded + Self.route().encoded
        for round in 0..<20_000 {
            var bytes = valid
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            } else {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            let messages = NetlinkMessage.messages(in: bytes[...])
            #expect(messages.reduce(0) { $0 + $1.payload.count + 16 } <= bytes.count + 3)
            for message in messages {
                var (link, route) = (message, message)
                (link.kind, route.kind) = (NetlinkMessage.Kind.newLink, NetlinkMessage.Kind.newRoute)
                _ = NetworkLink(link)?.kind { _ in LinkTraits() }
                _ = NetworkRoute(route)
                _ = message.errorNumber
            }
        }
    }

    struct LinkCase: Sendable, CustomTestStringConvertible {
        var name: String
        var hardware: UInt16 = 1
        var driver: String?
        var traits = LinkTraits()
        var kind: NetworkLink.Kind

        var testDescription: String { "\(self.name), \(self.hardware), \(self.driver ?? "-"): \(self.kind)" }

        static let all: [LinkCase] = [
            .init(name: "lo", hardware: 772, kind: .loopback),
            .init(name: "eth0", kind: .wired),
            .init(name: "wlan0", traits: LinkTraits(isWireless: true), kind: .wireless),
            .init(name: "wlp3s0", traits: LinkTraits(isWireless: true), kind: .wireless),
            .init(name: "wwan0", kind: .mobile),
            .init(name: "wwp0s20u4", traits: LinkTraits(isMobile: true), kind: .mobile),
            .init(name: "ppp0", hardware: 512, kind: .mobile),
            .init(name: "ppp1", kind: .mobile),
            .init(name: "modem", hardware: 519, kind: .mobile),
            .init(name: "modem", driver: "wwan", kind: .mobile),
            .init(name: "rmnet_data0", kind: .mobile),
            .init(name: "wwanted", kind: .wired),
            .init(name: "pppoe-wan", kind: .wired),
            .init(name: "ppp", kind: .wired),
            .init(name: "veth1", driver: "veth", kind: .wired),
            .init(name: "tun0", hardware: 65534, kind: .wired),
        ]
    }

    @Test(arguments: LinkCase.all) func `an interface has the kind of its hardware, driver and name`(
        _ test: LinkCase
    ) throws {
        let message = Self.link(name: test.name, hardware: test.hardware, driver: test.driver)
        let link = try #require(NetworkLink(message))
        #expect(link.name == test.name)
        #expect(link.kind { _ in test.traits } == test.kind)
    }

    @Test(arguments: [(0x41, true), (0x1, false), (0x40, false), (0, false), (0x1_0043, true)] as [(UInt32, Bool)])
    func `an interface runs if it is up and has a carrier`(_ flags: UInt32, _ isRunning: Bool) throws {
        #expect(try #require(NetworkLink(Self.link(flags: flags))).isRunning == isRunning)
    }

    @Test func `a route counts if it leads out from an address that packets come back to`() {
        #expect(NetworkRoute(Self.route())?.link == 3)
        #expect(NetworkRoute(Self.route(type: 2))?.link == 3)
        for type in [0, 3, 6, 7, 8, 9] as [UInt8] { #expect(NetworkRoute(Self.route(type: type)) == nil) }
        for flags in [0x1, 0x10, 0x11] as [UInt32] { #expect(NetworkRoute(Self.route(flags: flags)) == nil) }
        #expect(NetworkRoute(Self.route(link: nil)) == nil)
        for source in [nil, [], [0, 0, 0, 0], [1]] as [[UInt8]?] {
            #expect(NetworkRoute(Self.route(source: source))?.hasSource == false)
        }
        let global: [UInt8] = [0x20, 0x01] + [UInt8](repeating: 1, count: 14)
        let local: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 1, count: 14)
        #expect(NetworkRoute(Self.route(family: 10, source: global))?.hasSource == true)
        #expect(NetworkRoute(Self.route(family: 10, source: local))?.hasSource == false)
        #expect(NetworkRoute(Self.link()) == nil)
    }

    @Test func `only what sending fails with as well says that there is no route`() {
        func error(_ number: Int32) -> NetlinkMessage {
            var payload = [UInt8]()
            payload.append(number: number)
            return NetlinkMessage(kind: NetlinkMessage.Kind.error, payload: payload)
        }
        // EACCES, EINVAL, ENETUNREACH, EHOSTUNREACH.
        for number in [-13, -22, -101, -113] as [Int32] { #expect(NetworkRoute.isDenied(by: error(number))) }
        // EPERM, EINTR, EAGAIN, ENOMEM, EBUSY, ENODEV, ENOBUFS, none at all, and what is no error.
        for number in [-1, -4, -11, -12, -16, -19, -105, 0, 101, .min, .max] as [Int32] {
            #expect(!NetworkRoute.isDenied(by: error(number)), "\(number)")
        }
        for type in 0...12 as ClosedRange<UInt8> {
            #expect(NetworkRoute.isDenied(by: Self.route(type: type)) == [6, 7, 8].contains(type), "\(type)")
        }
        for flags in [0x1, 0x10, 0x11] as [UInt32] { #expect(!NetworkRoute.isDenied(by: Self.route(flags: flags))) }
        for message in [Self.link(), Self.route(link: nil), NetlinkMessage(kind: 2, payload: [1, 2, 3])] {
            #expect(!NetworkRoute.isDenied(by: message))
        }
    }

    @Test func `a question for a route is one for an address, of either family`() {
        for count in [0, 3, 5, 15, 17] { #expect(NetworkRoute.request([UInt8](repeating: 1, count: count)) == nil) }
        #expect(NetworkRoute.request([192, 0, 2, 1])?.payload.prefix(2) == [2, 32])
        #expect(NetworkRoute.request([UInt8](repeating: 1, count: 16))?.payload.prefix(2) == [10, 128])
        let narrow = NetworkRoute.request([192, 0, 2, 1], from: [192, 0, 2, 2], scope: 7)
        let fields = NetlinkAttribute.attributes(in: narrow?.payload.dropFirst(12) ?? [])
        #expect(narrow?.payload.prefix(3) == [2, 32, 32])
        #expect(fields.map(\.kind) == [1, 2, 4])
        #expect(NetworkRoute.request([192, 0, 2, 1], from: [1])?.payload.prefix(3) == [2, 32, 0])
    }

    @Test func `the files of the system say what is wireless and what is mobile`() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? files.removeItem(at: folder) }
        let path = folder.path()
        for (name, event) in [
            ("eth0", "INTERFACE=eth0\n"), ("wlan0", "DEVTYPE=wlan\n"), ("cdc0", "A=b\nDEVTYPE=wwan\n"),
        ] {
            try files.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
            try Data(event.utf8).write(to: folder.appending(path: "\(name)/uevent"))
        }
        try files.createDirectory(at: folder.appending(path: "old0/wireless"), withIntermediateDirectories: true)
        #expect(LinkTraits(ofInterface: "eth0", below: path) == LinkTraits())
        #expect(LinkTraits(ofInterface: "wlan0", below: path) == LinkTraits(isWireless: true))
        #expect(LinkTraits(ofInterface: "old0", below: path) == LinkTraits(isWireless: true))
        #expect(LinkTraits(ofInterface: "cdc0", below: path) == LinkTraits(isMobile: true))
        for name in ["", ".", "..", "../etc", "nothing"] {
            #expect(LinkTraits(ofInterface: name, below: path) == LinkTraits())
        }
    }
}
#endif

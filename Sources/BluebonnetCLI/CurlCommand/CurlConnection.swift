// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport

/// How a command of curl connects, and how fast it sends and receives, where no option of ours says it.
struct CurlConnection: Sendable {
    /// The only version of HTTP that is spoken; nil for either.
    private var version: (option: String, NIOTransport.HTTPVersions)?

    /// The time that connecting may take; `.some(nil)` for as long as it likes.
    private var connectTimeout: Duration??

    /// The bytes per second in each direction; nil for no limit.
    private var rate: Int64?

    private var addresses = CurlAddresses()

    /// Reads an option.
    ///
    /// - Parameters:
    ///   - name: The option, without its hyphens.
    ///   - value: Its value.
    /// - Throws: `CommandFailure` for a value that makes no sense.
    mutating func apply(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "connect-timeout": self.connectTimeout = try Self.duration(value)
        case "limit-rate": self.rate = try Self.rate(value)
        case "http1.1": self.version = ("--\(name)", .http1)
        case "http2-prior-knowledge": self.version = ("--\(name)", .http2)
        case "ipv4": self.addresses.family = .ipv4
        case "ipv6": self.addresses.family = .ipv6
        default: try self.addresses.add(value)
        }
    }

    /// The options of curl that were given.
    var optionNames: [String] {
        let given: [(String, Bool)] = [
            ("--connect-timeout", self.connectTimeout != nil), ("--limit-rate", self.rate != nil),
        ]
        return [self.version?.option].compactMap(\.self) + given.filter(\.1).map(\.0) + self.addresses.optionNames
    }

    /// Changes a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - environment: The environment variables of the process, which may name a proxy.
    func apply(to plan: inout RequestPlan, _ environment: [String: String]) {
        if let version { plan.transport.httpVersions = version.1 }
        if let limit = self.connectTimeout {
            var timeouts = plan.request.transportOptions.timeouts ?? Timeouts()
            (timeouts.resolve, timeouts.connect, timeouts.tlsHandshake) = (limit, limit, limit)
            plan.request.transportOptions.timeouts = timeouts
        }
        if let rate { plan.request.rateLimit = RateLimit(download: rate, upload: rate) }
        if !self.addresses.isEmpty { plan.transport.resolver = self.addresses }
        if let family = self.addresses.family, plan.sends, Self.isDirect(plan, environment) {
            plan.adjustments.append { $0.networkInterceptors.append(CurlFamilyCheck(family: family)) }
        }
    }

    /// Whether the hosts of URLs are connected to: a proxy or a socket would be of another family than they are.
    private static func isDirect(_ plan: RequestPlan, _ environment: [String: String]) -> Bool {
        guard plan.transport.unixSocketPath == nil else { return false }
        if let proxy = plan.exported.proxy { return proxy.isEmpty }
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.allSatisfy { environment[$0]?.isEmpty ?? true }
    }

    private static func duration(_ text: String) throws(CommandFailure) -> Duration? {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e7 else {
            throw .usage("curl's --connect-timeout takes a number of seconds, for example 2.5")
        }
        return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    /// Bytes, or a number with a letter for a power of 1024; nil for 0, which is no limit.
    private static func rate(_ text: String) throws(CommandFailure) -> Int64? {
        let powers: [Unicode.Scalar: Double] = ["b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5]
        var (number, factor) = (text, 1.0)
        if let letter = text.asciiLowercased.unicodeScalars.last, let power = powers[letter] {
            number = String(text.unicodeScalars.dropLast())
            for _ in 0..<Int(power) { factor *= 1024 }
        }
        guard let value = Double(number), value >= 0, value * factor < 9e18 else {
            throw .usage("curl's --limit-rate takes bytes per second, for example 200k")
        }
        return value == 0 ? nil : max(1, Int64(value * factor))
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// A report of the phases of an exchange: the `m` of `--print`.
enum TimingReport {
    /// Returns the report with one line per phase that took place.
    ///
    /// - Parameters:
    ///   - metrics: The metrics of the exchange.
    ///   - end: The time at which the body had been read.
    /// - Returns: The lines.
    static func text(_ metrics: ExchangeMetrics, end: ExchangeMetrics.Instant) -> String {
        var lines: [(String, String)] = []
        if let address = metrics.remoteAddress {
            lines.append(("address", TerminalText.escapedLine(address)))
        }
        if let tls = metrics.tls {
            let words = [
                tls.version.map { "TLS \($0.rawValue)" }, tls.cipherSuite?.description, tls.applicationProtocol,
            ]
            lines.append(("security", TerminalText.escapedLine(words.compactMap(\.self).joined(separator: ", "))))
        }
        lines += Self.phases(metrics, end: end).map { ($0.name, ByteText.span($0.duration)) }
        return lines.map { name, value in
            name + String(repeating: " ", count: 9 - name.count) + value + "\n"
        }.joined()
    }

    /// Returns the report on one line, with the phases in order.
    static func line(_ metrics: ExchangeMetrics, end: ExchangeMetrics.Instant) -> String {
        let phases = Self.phases(metrics, end: end)
        let parts = phases.dropLast().map { "\($0.name) \(ByteText.span($0.duration))" }
        return parts.joined(separator: " > ") + (phases.last.map { " = \(ByteText.span($0.duration))" } ?? "")
    }

    /// Returns the phases that took place, followed by their total.
    private static func phases(
        _ metrics: ExchangeMetrics,
        end: ExchangeMetrics.Instant
    ) -> [(name: String, duration: Duration)] {
        var phases: [(name: String, duration: Duration)] = []
        func add(_ name: String, _ from: ExchangeMetrics.Instant?, _ to: ExchangeMetrics.Instant?) {
            guard let from, let to, from <= to else { return }
            phases.append((name, from.duration(to: to)))
        }
        // A wait of less than a millisecond for a connection is omitted.
        if let queue = metrics.duration(of: .queue), queue >= .milliseconds(1) { phases.append(("queue", queue)) }
        add("roots", metrics.tlsPreparationStarted, metrics.tlsPreparationEnded)
        add("lookup", metrics.resolveStarted, metrics.resolveEnded)
        add("connect", metrics.connectStarted, metrics.connectEnded)
        add("proxy", metrics.connectEnded, metrics.tunnelEnded)
        add("TLS", metrics.tunnelEnded ?? metrics.connectEnded, metrics.tlsHandshakeEnded)
        add("send", metrics.requestHeadStarted, metrics.requestBodyEnded)
        add("wait", metrics.requestBodyEnded, metrics.responseHeadEnded)
        add("receive", metrics.responseHeadEnded, metrics.responseBodyEnded ?? end)
        add("total", metrics.started, metrics.responseBodyEnded ?? end)
        return phases
    }
}

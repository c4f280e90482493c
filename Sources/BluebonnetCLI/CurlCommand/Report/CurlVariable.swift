// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials

/// A variable of curl's `--write-out`; the raw value is its name between the braces.
///
/// Times are seconds since the first request, sizes are bytes, rates are bytes per second. The value of an event that
/// did not happen is 0 or empty.
enum CurlVariable: String, Sendable {
    case contentType = "content_type"
    case exitCode = "exitcode"
    case errorMessage = "errormsg"
    case httpCode = "http_code"
    case responseCode = "response_code"
    case httpVersion = "http_version"
    case localAddress = "local_ip"
    case localPort = "local_port"
    case method
    case connectionCount = "num_connects"
    case headerCount = "num_headers"
    case redirectCount = "num_redirects"
    case retryCount = "num_retries"
    case redirectURL = "redirect_url"
    case referer
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case scheme
    case downloadSize = "size_download"
    case headerSize = "size_header"
    case requestSize = "size_request"
    case uploadSize = "size_upload"
    case downloadRate = "speed_download"
    case uploadRate = "speed_upload"
    case handshakeTime = "time_appconnect"
    case connectTime = "time_connect"
    case lookupTime = "time_namelookup"
    case pretransferTime = "time_pretransfer"
    case redirectTime = "time_redirect"
    case startTime = "time_starttransfer"
    case totalTime = "time_total"
    case url
    case effectiveURL = "url_effective"

    /// Returns the value of the variable.
    ///
    /// - Parameters:
    ///   - facts: The facts about the command.
    ///   - url: The URL of the command.
    ///   - failure: The failure of the command, if any.
    /// - Returns: The text that replaces the variable.
    func value(_ facts: CurlCourse.Facts, url: String, _ failure: CommandFailure?) -> String {
        let metrics = facts.metrics
        return switch self {
        case .contentType: facts.response?.headers[.contentType] ?? ""
        case .exitCode: "\(failure?.status.rawValue ?? 0)"
        case .errorMessage: failure?.message ?? ""
        case .httpCode, .responseCode: facts.response.map { "\($0.status.code)" } ?? "000"
        case .httpVersion: Self.version(metrics.httpVersion)
        case .localAddress: Self.parts(of: metrics.localAddress).host
        case .localPort: Self.parts(of: metrics.localAddress).port
        case .method: facts.request?.method.rawValue ?? ""
        case .connectionCount: "\(facts.connectionCount)"
        case .headerCount: "\(facts.response?.headers.count ?? 0)"
        case .redirectCount: "\(facts.redirectCount)"
        case .retryCount: "\(facts.retryCount)"
        case .redirectURL: Self.redirection(facts)
        case .referer: facts.referer ?? facts.request?.headers[.referer] ?? ""
        case .remoteAddress: Self.parts(of: metrics.remoteAddress).host
        case .remotePort: Self.parts(of: metrics.remoteAddress).port
        case .scheme: facts.request?.url.scheme?.asciiUppercased ?? ""
        case .downloadSize: "\(metrics.responseBodyByteCount)"
        case .headerSize: "\(facts.headByteCount)"
        case .requestSize: "\(facts.requestByteCount)"
        case .uploadSize: "\(metrics.requestBodyByteCount)"
        case .downloadRate: Self.rate(metrics.responseBodyByteCount, facts)
        case .uploadRate: Self.rate(metrics.requestBodyByteCount, facts)
        case .handshakeTime: Self.time(metrics.tlsHandshakeEnded, facts)
        case .connectTime: Self.time(metrics.connectEnded, facts)
        case .lookupTime: Self.time(metrics.resolveEnded, facts)
        case .pretransferTime: Self.time(metrics.requestHeadStarted, facts)
        case .redirectTime: Self.time(facts.redirected, facts)
        case .startTime: Self.time(metrics.responseHeadEnded, facts)
        case .totalTime: Self.time(Self.end(facts), facts)
        case .url: url
        case .effectiveURL: facts.request?.url.absoluteString ?? url
        }
    }

    private static func version(_ version: ExchangeMetrics.HTTPVersion?) -> String {
        switch version {
        case nil: "0"
        case .http10: "1"
        case .http11: "1.1"
        case .http2: "2"
        }
    }

    private static func end(_ facts: CurlCourse.Facts) -> ExchangeMetrics.Instant? {
        facts.metrics.responseBodyEnded ?? facts.ended
    }

    private static func span(
        _ end: ExchangeMetrics.Instant?,
        _ facts: CurlCourse.Facts
    ) -> Duration? {
        guard let start = facts.started, let end, start <= end else { return nil }
        return start.duration(to: end)
    }

    private static func time(_ end: ExchangeMetrics.Instant?, _ facts: CurlCourse.Facts) -> String {
        ByteText.fixed((Self.span(end, facts) ?? .zero) / .seconds(1), digits: 6)
    }

    private static func rate(_ byteCount: Int64, _ facts: CurlCourse.Facts) -> String {
        guard let span = Self.span(Self.end(facts), facts), span > .zero else { return "0" }
        return ByteText.fixed(Double(byteCount) / (span / .seconds(1)), digits: 0)
    }

    /// Returns the target of a redirect that was not followed.
    private static func redirection(_ facts: CurlCourse.Facts) -> String {
        guard let response = facts.response, response.status.kind == .redirection,
            let location = response.headers[.location]
        else { return "" }
        return URL(string: URLText.escaped(location), relativeTo: facts.request?.url)?.absoluteString ?? ""
    }

    /// Splits an address into host and port, without the brackets of IPv6.
    private static func parts(of address: String?) -> (host: String, port: String) {
        guard let address, let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            return (address ?? "", "0")
        }
        var host = address[..<colon]
        if host.starts(withScalars: "["), host.ends(withScalars: "]") { host = host.dropFirst().dropLast() }
        return (String(host), String(address[address.utf8.index(after: colon)...]))
    }
}

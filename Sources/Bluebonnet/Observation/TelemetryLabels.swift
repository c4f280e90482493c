// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// Values of attributes in the form of OpenTelemetry's semantic conventions for HTTP.
enum TelemetryLabels {
    /// The value for everything that is not one of the known values.
    static let other = "_OTHER"

    /// The error type of an exchange that was cancelled.
    static let cancelled = "cancelled"

    private static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    /// A method of RFC 9110 section 9 or RFC 5789; nil for any other.
    static func known(_ method: HTTPRequest.Method) -> String? {
        Self.knownMethods.contains(method.rawValue) ? method.rawValue : nil
    }

    /// A registered status code; the x00 code of its class for any other (RFC 9110 section 15).
    ///
    /// Otherwise a server could create 900 values.
    static func status(_ status: HTTPResponse.Status) -> Int {
        switch status.code {
        case 100...103, 200...208, 226, 300...305, 307, 308, 400...417, 421...426, 428, 429, 431, 451, 500...508, 511:
            status.code
        case 100..<600: status.code / 100 * 100
        // RFC 9110 section 15: an invalid status counts as a 5xx.
        default: 500
        }
    }

    /// Whether a status is an error to the client.
    static func isError(_ status: HTTPResponse.Status) -> Bool { !(100..<400).contains(status.code) }

    /// The class of an error, one of a small set.
    static func errorType(_ error: any Error) -> String {
        switch error {
        case is CancellationError: Self.cancelled
        case let error as SessionError: error.code.description
        case let error as TransportError: "\(error.code)"
        default: String(reflecting: type(of: error))
        }
    }
}

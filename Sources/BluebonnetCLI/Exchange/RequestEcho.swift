// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// Prints a request once the version of HTTP that carries it is known.
final class RequestEcho: Sendable {
    private let printer: RequestPrinter
    private let isDeferred: Bool
    private let waiting = Mutex<TransportRequest?>(nil)

    /// Creates an echo.
    ///
    /// - Parameters:
    ///   - printer: Prints the request.
    ///   - isDeferred: Whether ``print(_:)`` is waited for; otherwise a request is printed as HTTP/1.1 before it is sent.
    init(printer: RequestPrinter, isDeferred: Bool) {
        self.printer = printer
        self.isDeferred = isDeferred
    }

    /// Takes a request that is about to be sent.
    func note(_ request: TransportRequest) throws {
        if self.printer.parts.isDisjoint(with: .request) { return }
        if self.isDeferred {
            self.waiting.withLock { $0 = request }
        } else {
            try self.printer.print(request, version: nil)
        }
    }

    /// Prints the request that waits, if one does.
    ///
    /// - Parameter version: The version that was agreed on; nil if the connection failed.
    /// - Throws: What printing throws.
    func print(_ version: ExchangeMetrics.HTTPVersion?) throws {
        if let request = self.waiting.withLock({ $0.take() }) { try self.printer.print(request, version: version) }
    }
}

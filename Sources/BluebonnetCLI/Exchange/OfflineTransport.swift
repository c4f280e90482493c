// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// A transport that sends nothing: it prints each request as the engine would write it on HTTP/1.1.
struct OfflineTransport: Transport {
    let printer: RequestPrinter

    /// The configuration of the engine: a forwarding proxy gets the target in absolute form and its credentials.
    let configuration: NIOTransport.Configuration

    let plan: RequestPlan

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let head = try HTTP1WireImage.head(of: request, over: self.configuration)
        try self.printer.print(head: head, version: .http11, of: self.plan.request)
        return TransportResponse(status: .noContent)
    }

    func shutdown() async {}
}

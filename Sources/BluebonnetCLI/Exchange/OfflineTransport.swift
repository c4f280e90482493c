// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// Stands for the engine where nothing is sent: prints each request as the engine would write it on HTTP/1.1.
struct OfflineTransport: Transport {
    let printer: RequestPrinter

    /// How the engine would be set up: a proxy that forwards a request is sent a longer request line, and credentials of its own.
    let configuration: NIOTransport.Configuration

    let plan: RequestPlan

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let head = try HTTP1WireImage.head(of: request, over: self.configuration)
        try self.printer.print(head: head, version: .http11, of: self.plan.request)
        return TransportResponse(status: .noContent)
    }

    func shutdown() async {}
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

extension StreamedResponse {
    /// Creates a response with an unread body from one that has been received, so that both are printed the same way.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request, if the response does not contain it.
    init(replaying response: Response, to request: Request) {
        self.init(
            to: response.request ?? request,
            status: response.status,
            headers: response.headers,
            body: ResponseBody(ByteBuffer(bytes: response.body)),
            metrics: response.metrics ?? ExchangeMetrics()
        )
    }
}

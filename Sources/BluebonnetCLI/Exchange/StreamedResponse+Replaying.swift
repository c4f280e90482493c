// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

extension StreamedResponse {
    /// A response that has arrived whole, as one whose body is still to be read, so that it is printed in the same way.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request, where the response does not know it.
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

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import HTTPTypes

/// An interceptor that removes header fields of the session that the user has unset: `Accept:` sends none.
struct ChosenFields: Interceptor {
    private let absent: [HTTPField.Name]

    /// Creates an interceptor for a request as it was typed; nil if it contains every field that a session adds.
    init?(_ request: Request) {
        self.absent = [.accept, .acceptEncoding].filter { !request.headers.contains($0) }
        if self.absent.isEmpty { return nil }
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var request = request
        for name in self.absent { request.headers[fields: name] = [] }
        return try await next(request)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension TransportError {
    /// The response whose body failed while the transport was collecting it, with an empty body; nil for all other
    /// failures.
    ///
    /// The caller of a streamed response has its head already.
    package var response: TransportResponse? {
        get { self.failedResponse?.response }
        set { self.failedResponse = newValue.map { FailedResponse($0) } }
    }
}

/// The head of a response whose body failed.
final class FailedResponse: Sendable {
    let response: TransportResponse

    init(_ response: TransportResponse) {
        self.response = response
    }
}

// The default mirror of an error would print the values of the header fields.
extension FailedResponse: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["status": self.response.status.code]) }
}

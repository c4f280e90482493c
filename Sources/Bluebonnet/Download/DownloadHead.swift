// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// The head of a file that several responses deliver: that of the first one, with the newer fields of the others.
///
/// The response to a request with If-Range should not repeat the fields of the representation (RFC 9110 section
/// 15.3.7), for example its type and its name.
struct DownloadHead: Sendable {
    private let status: HTTPResponse.Status
    private var headers: HTTPFields

    /// - Parameters:
    ///   - response: The response that began the file in this call.
    ///   - coding: The content coding of the file, which a part need not repeat; nil for none.
    init(_ response: StreamedResponse, coding: String? = nil) {
        self.status = response.status
        self.headers = response.headers
        if let coding, !self.headers.contains(.contentEncoding) { self.headers[.contentEncoding] = coding }
    }

    /// The head of a file that no response of this call has delivered bytes of: what is recorded about it.
    init(_ journal: DownloadJournal) {
        self.status = .ok
        self.headers = [.eTag: journal.entityTag]
        self.headers[.contentEncoding] = journal.contentEncoding
    }

    /// Adds the fields of a response that continues the file.
    mutating func add(_ rest: StreamedResponse) {
        var update = rest.headers
        // This digest is that of the part alone.
        update[.contentDigest] = nil
        self.headers = StoredFields.merging(self.headers, with: update)
    }

    /// Returns the last response with this head.
    func heading(_ last: Response) -> Response {
        var response = last
        response.status = self.status
        response.headers = self.headers
        return response
    }
}

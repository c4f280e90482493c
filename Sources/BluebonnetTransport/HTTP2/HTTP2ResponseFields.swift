// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Collects the fields of one field block of a response, within the limits of its request (RFC 9113 sections 8.2 and
/// 8.3.2).
///
/// A block is always decoded completely, because later blocks depend on its table updates; fields after a fault or
/// beyond a limit are discarded.
struct HTTP2ResponseFields {
    /// The status; nil for trailers.
    private(set) var status: HTTPResponse.Status?
    private(set) var fields = HTTPFields()

    private let limits: TransportLimits
    private var (count, byteCount) = (0, 0)
    private var fault: TransportError?

    init(limits: TransportLimits) {
        self.limits = limits
    }

    /// Adds the next field.
    mutating func append(_ field: ResponseField) {
        guard self.fault == nil else { return }
        do throws(TransportError) { try self.add(field) } catch { self.fault = error }
    }

    /// - Throws: The fault of the first field that was rejected.
    func check() throws(TransportError) {
        if let fault { throw fault }
    }

    private mutating func add(_ field: ResponseField) throws(TransportError) {
        self.count += 1
        guard self.count <= Swift.min(self.limits.maximumFieldCount, 60_000) else {
            throw .limit("the response has more than \(self.limits.maximumFieldCount) header fields")
        }
        switch field.content {
        case .fault(let reason): throw .violation(reason)
        case .status(let status):
            guard self.status == nil, self.fields.isEmpty else {
                throw .violation("the response has a pseudo-header field that does not belong there")
            }
            self.status = status
        case .field(let field): self.fields.append(field)
        }
        // RFC 9113 section 6.5.2 defines the size of a field.
        self.byteCount += field.byteCount + 32
        let limit = self.status == nil ? self.limits.maximumTrailerByteCount : self.limits.maximumHeadByteCount
        guard self.byteCount <= limit else {
            throw .limit("the response's header fields are larger than the limit of \(limit) bytes")
        }
    }
}

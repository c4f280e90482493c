// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes
import NIOCore
import NIOHTTP1

/// A request received by a ``TestServer``.
public struct RecordedRequest: Sendable {
    /// The method, as sent; `INVALID` for one that is no token, which only a malformed request over HTTP/2 has.
    public let method: HTTPRequest.Method

    /// The request target, as sent: usually path and query.
    public let target: String

    /// The header fields in the order received, their names spelt as sent (`name.rawName`).
    public let headers: HTTPFields

    /// The bytes of the body, without the transfer coding.
    ///
    /// They are kept for scripted responses, handlers and `/echo` only, up to
    /// ``TestServer/Configuration/recordedBodyLimit``.
    public let body: [UInt8]

    /// The length of the body in bytes, kept or not.
    public let bodyByteCount: Int64

    /// The SHA-256 digest of the whole body, in lower-case hexadecimal.
    public let bodySHA256: String

    /// The trailer fields.
    public let trailers: HTTPFields

    /// The number of its connection at the server, counted from 1.
    public let connectionID: Int

    /// The number of the request on its connection, counted from 1.
    public let sequenceNumber: Int

    /// The client's certificate in DER; see ``TestServer/TLS/clientCertificates``.
    public let clientCertificate: [UInt8]?

    /// Whether the request had arrived completely when it was recorded.
    public let isComplete: Bool

    /// The kept body as text; bytes that are not UTF-8 become replacement characters.
    public var bodyText: String { String(decoding: self.body, as: UTF8.self) }

    /// The kept body as data, for example for a `JSONDecoder`.
    public var bodyData: Data { Data(self.body) }

    /// The target without its query.
    public var path: String { ReceivedTarget(self.target).path }

    /// Returns the decoded value of the first query item with a name; nil if there is none.
    ///
    /// - Parameter name: The decoded name.
    /// - Returns: The decoded value.
    public func query(_ name: String) -> String? { ReceivedTarget(self.target)[name] }

    init(_ request: ReceivedRequest) {
        self.method = HTTPRequest.Method(request.method) ?? Self.invalidMethod
        self.target = request.head.uri
        self.headers = HTTPFields(received: request.head.headers)
        self.body = Array(buffer: request.body)
        self.bodyByteCount = request.digest.byteCount
        self.bodySHA256 = request.digest.sha256
        self.trailers = request.trailers.map { HTTPFields(received: $0) } ?? HTTPFields()
        self.connectionID = request.connectionID
        self.sequenceNumber = request.sequence
        self.clientCertificate = request.clientCertificate
        self.isComplete = request.isComplete
    }
}

extension RecordedRequest {
    private static let invalidMethod = HTTPRequest.Method("INVALID") ?? .get
}

extension HTTPFields {
    /// Creates fields from received ones; the decoder has counted and checked them.
    init(received headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            self.append(HTTPField(name: name, value: value))
        }
    }
}

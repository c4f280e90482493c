// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials
import HTTPTypes
import NIOCore

extension HTTPArchive {
    /// Parses an archive, written by any program.
    ///
    /// Fields that no message may have, such as the pseudo-header fields of HTTP/2, are skipped. So are the cookies and
    /// the query, which the fields and the URL contain as well, and the fragment of a URL. A field value with line
    /// breaks is as many fields. A form that is written as `params` is encoded, with `%20` for a space; of a multipart
    /// form that is written so, the body is unknown. A message may have up to 10,000 header fields.
    ///
    /// - Parameter json: The document.
    /// - Throws: ``HTTPArchiveError`` with ``HTTPArchiveError/Code/malformed``, which names the entry.
    public init(parsing json: Data) throws(HTTPArchiveError) {
        let document: ArchiveDocument
        do {
            document = try JSONDecoder().decode(ArchiveDocument.self, from: json)
        } catch let error as DecodingError {
            throw HTTPArchiveError(.malformed, Self.explanation(of: error), underlying: error)
        } catch {
            throw HTTPArchiveError(.malformed, "it is not JSON", underlying: error)
        }
        self.entries = []
        for (index, entry) in document.log.entries.enumerated() {
            do throws(ArchiveFault) {
                self.entries.append(try Entry(entry))
            } catch {
                throw HTTPArchiveError(.malformed, "entry \(index): \(error.reason)")
            }
        }
    }

    /// Returns the archive as JSON in the format HAR 1.2.
    ///
    /// - Returns: The document, with sorted keys and one member per line, so that versions can be compared.
    public func serialized() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = ArchiveDocument(log: ArchiveDocument.Log(entries: self.entries.map(\.document)))
        // Only text and finite numbers: encoding cannot fail.
        return (try? encoder.encode(document)) ?? Data()
    }

    private static func explanation(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(Self.place(context)) has no member “\(key.stringValue)”"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Self.place(context)) has another type than the format says"
        // Of JSON only a number can be wrong in itself; what is no JSON has no place in the document.
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(Self.place(context)) is a number that does not fit"
        case .dataCorrupted: "it is not JSON"
        @unknown default: "it is no archive"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return path.isEmpty ? "the document" : path.joined(separator: ".")
    }
}

/// An error in an entry.
private struct ArchiveFault: Error {
    var reason: String
}

// MARK: Parsing

extension HTTPArchive.Entry {
    fileprivate init(_ entry: ArchiveDocument.Entry) throws(ArchiveFault) {
        guard let method = HTTPRequest.Method(rawValue: entry.request.method) else {
            throw ArchiveFault(reason: "the method is no token")
        }
        let post = entry.request.postData
        // A body of which only the length was kept has no text. -1 means that the length is not known, and that there
        // is no body if there is no postData either.
        let unknown = post == nil ? 0 : HTTPArchive.Body.unknownByteCount
        let size = max(entry.request.bodySize?.value ?? unknown, unknown)
        let body = try HTTPArchive.Body(post?.text ?? post?.form, post?.encoding, size: size)
        self.init(
            started: entry.startedDateTime.flatMap(ArchiveTime.date) ?? Date(timeIntervalSince1970: 0),
            duration: ArchiveTime.duration(milliseconds: entry.time),
            request: HTTPArchive.Request(
                method: method,
                // A request is sent without the fragment, which a browser may write nevertheless.
                url: String(Substring(entry.request.url.utf8.prefix { $0 != UInt8(ascii: "#") })),
                headers: try HTTPFields(entry.request.headers ?? [], of: "request"),
                body: body
            ),
            response: try HTTPArchive.Response(entry.response)
        )
        // Browsers use status 0 for a failed exchange.
        guard self.response == nil else { return }
        self.failure = entry.comment ?? "the exchange failed"
        self.failureKind = HTTPArchive.FailureKind(entry)
    }
}

extension HTTPArchive.FailureKind {
    /// Nil if the entry does not say all of it, in words of this version.
    fileprivate init?(_ entry: ArchiveDocument.Entry) {
        guard let code = entry.failureCode.flatMap({ TransportError.Code(name: $0) }),
            let phase = entry.failurePhase.flatMap({ TransportError.Phase(rawValue: $0) }),
            let isRequestSent = entry.isRequestSent
        else { return nil }
        self.init(code, phase: phase, isRequestSent: isRequestSent)
    }
}

extension HTTPArchive.Response {
    /// Nil for a failed exchange.
    fileprivate init?(_ response: ArchiveDocument.Response) throws(ArchiveFault) {
        let status = response.status.value
        if status == 0 { return nil }
        guard (100...999).contains(status) else {
            throw ArchiveFault(reason: "the status \(status) is no number of three digits")
        }
        let content = response.content
        self.init(
            status: HTTPResponse.Status(code: status),
            headers: try HTTPFields(response.headers ?? [], of: "response"),
            body: try HTTPArchive.Body(content?.text, content?.encoding, size: max(content?.size?.value ?? 0, 0))
        )
        self.isBodyEncoded = content?.isEncoded ?? false
        self.isBodyAbandoned = content?.isAbandoned ?? false
        self.trailers = try HTTPFields(response.trailers ?? [], of: "response")
    }
}

extension HTTPArchive.Body {
    fileprivate init(_ text: String?, _ encoding: String?, size: Int64) throws(ArchiveFault) {
        let bytes: ByteBuffer
        switch encoding {
        case nil, "": bytes = ByteBuffer(string: text ?? "")
        case "base64":
            guard let data = Data(base64Encoded: text ?? "") else { throw ArchiveFault(reason: "a body is not Base64") }
            bytes = ByteBuffer(bytes: data)
        case let encoding?: throw ArchiveFault(reason: "a body has the encoding \(encoding), which is not known")
        }
        // If there is text, it is the whole body, regardless of the size beside it.
        self.init(bytes, of: text == nil ? size : Int64(bytes.readableBytes))
    }
}

extension ArchiveDocument.PostData {
    /// The body of a form without text; nil if the body is not one, or not known.
    fileprivate var form: String? {
        guard let params, HeaderParameters(self.mimeType ?? "").value == "application/x-www-form-urlencoded" else {
            return nil
        }
        return params.map { "\(PercentEncoding.escape($0.name))=\(PercentEncoding.escape($0.value ?? ""))" }
            .joined(separator: "&")
    }
}

extension HTTPFields {
    /// The largest number of fields of a message; more than 65,535 are a trap of `HTTPFields`.
    private static var largestCount: Int { 10_000 }

    fileprivate init(_ pairs: [ArchiveDocument.Pair], of message: String) throws(ArchiveFault) {
        self.init()
        for pair in pairs {
            guard let name = HTTPField.Name(pair.name) else { continue }
            // Some programs join the values of repeated fields with line breaks.
            for value in pair.value.lines {
                guard HTTPField.isValidValue(String(value)) else { continue }
                guard self.count < Self.largestCount else {
                    throw ArchiveFault(reason: "the \(message) has more than \(Self.largestCount) header fields")
                }
                self.append(HTTPField(name: name, value: String(value)))
            }
        }
    }

    fileprivate var pairs: [ArchiveDocument.Pair] {
        self.map { ArchiveDocument.Pair(name: $0.name.rawName, value: $0.value) }
    }
}

// MARK: Encoding

extension HTTPArchive.Entry {
    fileprivate var document: ArchiveDocument.Entry {
        var entry = ArchiveDocument.Entry(
            startedDateTime: ArchiveTime.text(self.started),
            time: ArchiveTime.milliseconds(self.duration),
            request: self.request.document,
            response: self.response?.document ?? ArchiveDocument.Response(status: 0, headers: []),
            comment: self.failure
        )
        entry.failureCode = self.failureKind?.code.description
        entry.failurePhase = self.failureKind?.phase.rawValue
        entry.isRequestSent = self.failureKind?.isRequestSent
        return entry
    }
}

extension HTTPArchive.Request {
    fileprivate var document: ArchiveDocument.Request {
        let (text, encoding) = self.body.text
        let hasBody = self.body.byteCount != 0
        let type = self.headers[.contentType] ?? ""
        return ArchiveDocument.Request(
            method: self.method.rawValue,
            url: self.url,
            headers: self.headers.pairs,
            postData: hasBody ? ArchiveDocument.PostData(mimeType: type, text: text, encoding: encoding) : nil,
            bodySize: ArchiveNumber(self.body.byteCount)
        )
    }
}

extension HTTPArchive.Response {
    fileprivate var document: ArchiveDocument.Response {
        let (text, encoding) = self.body.text
        return ArchiveDocument.Response(
            status: ArchiveNumber(self.status.code),
            statusText: self.status.reasonPhrase,
            headers: self.headers.pairs,
            content: ArchiveDocument.Content(
                size: ArchiveNumber(self.body.byteCount),
                mimeType: self.headers[.contentType] ?? "",
                text: text,
                encoding: encoding,
                isEncoded: self.isBodyEncoded ? true : nil,
                isAbandoned: self.isBodyAbandoned ? true : nil
            ),
            redirectURL: self.headers[.location] ?? "",
            trailers: self.trailers.isEmpty ? nil : self.trailers.pairs
        )
    }
}

extension HTTPArchive.Body {
    /// The bytes as text if they are UTF-8, otherwise in Base64; no text for an incomplete body.
    fileprivate var text: (text: String?, encoding: String?) {
        guard self.isComplete else { return (nil, nil) }
        let bytes = self.bytes.readableBytesView
        if let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
        return (Data(bytes).base64EncodedString(), "base64")
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// Answers requests with the responses of an archive: `serve --replay`.
///
/// An entry answers a request with its method, path, query and body; scheme and host do not count, and neither do secrets, which an archive
/// may lack. Of several entries the first one that has not answered yet is taken, and the last one once all have.
final class ServedArchive: Sendable {
    /// An entry and what is compared of it.
    private struct Answer {
        var asked: HTTPArchive.Request
        var response: HTTPArchive.Response?
    }

    private let answers: [Answer]
    private let isUsed: Mutex<[Bool]>

    /// Reads an archive; blocks.
    ///
    /// - Throws: `CommandFailure` if it cannot be read, or is none.
    init(_ path: String) throws(CommandFailure) {
        do throws(HTTPArchiveError) {
            let archive = try HTTPArchive(contentsOf: LiteralPath.url(path))
            self.answers = archive.entries.map { entry in
                var asked = entry.request
                asked.url = Self.target(of: asked.url)
                return Answer(asked: asked.hiding(.secrets), response: entry.response)
            }
        } catch {
            throw .usage("\(error.reason); record one with --har FILE")
        }
        guard !self.answers.isEmpty else { throw .usage("“\(path)” holds no exchange: record one with --har FILE") }
        self.isUsed = Mutex(self.answers.map { _ in false })
    }

    /// How many exchanges there are.
    var count: Int { self.answers.count }

    /// The target of the first request, for a command to try.
    var firstTarget: String { self.answers.first?.asked.url ?? "/" }

    /// The recorded response to a request.
    func response(to request: RecordedRequest) -> ScriptedResponse {
        let isKept = Int64(request.body.count) == request.bodyByteCount
        let body = HTTPArchive.Body(ByteBuffer(bytes: request.body), of: request.bodyByteCount)
        let asked = HTTPArchive.Request(
            method: request.method,
            url: Self.target(of: request.target),
            headers: request.headers,
            body: body
        ).hiding(.secrets)
        let candidates = self.answers.indices.filter {
            Self.matches(self.answers[$0].asked, asked, isKept, request.bodyByteCount)
        }
        let index = self.isUsed.withLock { isUsed in
            let index = candidates.first { !isUsed[$0] } ?? candidates.last
            if let index { isUsed[index] = true }
            return index
        }
        guard let index else { return self.refusal(of: request) }
        return Self.response(self.answers[index].response, to: request.method)
    }

    private static func matches(
        _ recorded: HTTPArchive.Request,
        _ asked: HTTPArchive.Request,
        _ isKept: Bool,
        _ byteCount: Int64
    ) -> Bool {
        guard recorded.method == asked.method, recorded.url.utf8.elementsEqual(asked.url.utf8) else { return false }
        // Of a body that the server has not kept, only the length can be compared.
        guard isKept else { return recorded.body.mayHave(byteCount: byteCount) }
        return recorded.hasSameBody(as: asked, byteCount: byteCount)
    }

    private static func response(_ recorded: HTTPArchive.Response?, to method: HTTPRequest.Method) -> ScriptedResponse {
        // An exchange that failed fails again.
        guard let recorded else { return ScriptedResponse(effect: .reset(.beforeResponse)) }
        guard recorded.body.isComplete else {
            return Self.text(.badGateway, recorded.body.absence)
        }
        guard recorded.status.kind != .informational else {
            let text = "the archive has the status \(recorded.status.code), and no response after it"
            return Self.text(.badGateway, text)
        }
        var headers = recorded.headers
        // An archive holds a body without its frame and usually without its content codings, and the connection is
        // another one.
        for name in Self.framing { headers[name] = nil }
        if !recorded.isBodyEncoded { headers[.contentEncoding] = nil }
        if method != .head { headers[.contentLength] = nil }
        var response = ScriptedResponse(
            status: recorded.status,
            headers: headers,
            body: .bytes(Array(recorded.body.bytes.readableBytesView))
        )
        if method == .head {
            // An archive has no body of a response to HEAD, whose length could be counted.
            response.framing = .asGiven
        } else if !recorded.trailers.isEmpty {
            // On HTTP/1.1, only a chunked body has trailer fields.
            response.framing = .chunked(byteCount: Self.chunkSize)
            response.trailers = recorded.trailers
        }
        if recorded.isBodyAbandoned {
            // Without the last chunk, a client notices that the rest was not recorded.
            response.framing = .chunked(byteCount: Self.chunkSize)
            response.effect = .close(.afterBody(recorded.body.byteCount))
        }
        return response
    }

    private static let chunkSize = 16 * 1024

    private static let framing: [HTTPField.Name] =
        [.transferEncoding, .connection, .upgrade]
        + ["Keep-Alive", "Proxy-Connection", "Alt-Svc"].compactMap { HTTPField.Name($0) }

    private func refusal(of request: RecordedRequest) -> ScriptedResponse {
        let next = self.isUsed.withLock { $0.firstIndex(of: false) }.map { self.answers[$0].asked }
        let hint = next.map { "; the next one that has not answered is for \($0.method.rawValue) \($0.url)" } ?? ""
        let body = request.bodyByteCount > 0 ? " with this body" : ""
        return Self.text(
            .notFound,
            "the archive has no response to \(request.method) \(request.target)\(body)\(hint)"
        )
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> ScriptedResponse {
        ScriptedResponse(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: .text(text + "\n")
        )
    }

    /// Path and query of a URL, or of a target that is both already.
    private static func target(of url: String) -> String {
        var rest = url.utf8[...]
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        let start = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        if rest[start...].starts(with: "//".utf8), rest[..<start].last == UInt8(ascii: ":") {
            let authority = rest[start...].dropFirst(2)
            rest = authority[(authority.firstIndex { "/?".utf8.contains($0) } ?? authority.endIndex)...]
        }
        return (rest.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: rest, as: UTF8.self)
    }
}

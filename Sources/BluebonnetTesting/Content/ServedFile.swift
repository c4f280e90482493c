// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes
import NIOCore

/// A file, or a part of one, as the body of a response: it is read while it is sent, and is never completely in memory.
///
/// ```swift
/// let file = try ServedFile(path: path)
/// server.respond { file.response(to: $0, contentType: "application/zip") }
/// ```
///
/// The file stays open, so that replacing it does not change what is sent. If it becomes shorter, the connection (on
/// HTTP/2, the stream) ends, so that the client cannot mistake a part for the whole.
public struct ServedFile: Sendable {
    private let file: RegularFile
    private let identity: FileIdentity
    let range: Range<Int64>

    /// Opens a file.
    ///
    /// - Parameter path: Its path; symbolic links are followed.
    /// - Throws: ``TestServerError`` with ``TestServerError/Code/unreadableFile`` if it is not a readable regular file.
    public init(path: String) throws(TestServerError) {
        do throws(FileFault) {
            self.file = try RegularFile(path: path)
            self.identity = try self.file.identity()
        } catch {
            throw TestServerError(
                .unreadableFile,
                reason: "“\(path)” cannot be served: \(error.text)",
                underlying: error
            )
        }
        self.range = 0..<self.identity.byteCount
    }

    private init(_ whole: ServedFile, _ range: Range<Int64>) {
        self.file = whole.file
        self.identity = whole.identity
        self.range = range
    }

    /// The number of bytes that are sent.
    public var byteCount: Int64 { self.range.upperBound - self.range.lowerBound }

    /// Returns the response to a request for the file, as specified by RFC 9110: the whole file, a part (`Range`,
    /// `If-Range`), Not Modified (`If-None-Match`, `If-Modified-Since`) or Precondition Failed (`If-Match`,
    /// `If-Unmodified-Since`).
    ///
    /// The entity tag is derived from the file's inode number, size and modification time. Within a second after a
    /// change it is weak, because the next change could have the same time; a weak tag never validates `If-Range`.
    ///
    /// - Parameters:
    ///   - request: The request; a method other than GET and HEAD is refused with 405.
    ///   - contentType: The media type of the file.
    /// - Returns: The response.
    public func response(
        to request: RecordedRequest,
        contentType: String = "application/octet-stream"
    ) -> ScriptedResponse {
        guard request.method == .get || request.method == .head else {
            return ScriptedResponse(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        let now = Int64(Date().timeIntervalSince1970)
        let representation = self.representation(now)
        let selection = representation.selection(method: request.method.rawValue, now: now) { name in
            HTTPField.Name(name).map { request.headers[values: $0] } ?? []
        }
        var response = ScriptedResponse(status: HTTPResponse.Status(code: selection.status))
        for (name, value) in representation.fields(of: selection) {
            if let name = HTTPField.Name(name) { response.headers.append(HTTPField(name: name, value: value)) }
        }
        let range = selection.range(in: self.byteCount)
        if selection == .whole || !range.isEmpty {
            response.headers[.contentType] = contentType
            let start = self.range.lowerBound
            response.body = .file(ServedFile(self, start + range.lowerBound..<start + range.upperBound))
        }
        return response
    }

    /// Returns a part of it.
    func part(_ range: Range<Int64>) -> ServedFile { ServedFile(self, range.clamped(to: self.range)) }

    /// Reads its first bytes; blocks.
    ///
    /// - Returns: The bytes, at most `limit`; nil if they are missing.
    func read(upTo limit: Int) -> ByteBuffer? {
        var bytes = ByteBuffer()
        let count = try? bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { space in
            try self.file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(limit)),
                at: self.range.lowerBound
            )
        }
        return count ?? 0 > 0 ? bytes : nil
    }

    private func representation(_ now: Int64) -> SelectedRepresentation {
        let parts = [
            self.identity.inode, UInt64(self.identity.byteCount), UInt64(bitPattern: self.identity.seconds),
            UInt64(self.identity.nanoseconds),
        ]
        let tag = "\"\(parts.map { String($0, radix: 16) }.joined(separator: "-"))\""
        return SelectedRepresentation(
            byteCount: self.byteCount,
            entityTag: self.identity.seconds < now - 1 ? tag : "W/" + tag,
            // RFC 9110 section 8.8.2.1: an origin server sends no date later than the current one.
            modified: min(self.identity.seconds, now)
        )
    }
}

extension ServedFile: Hashable {
    /// Whether both are the same part of the same version of a file.
    public static func == (left: Self, right: Self) -> Bool {
        left.identity == right.identity && left.range == right.range
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identity.inode)
        hasher.combine(self.range)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BuiltInRoutes {
    static let echoRoutes: [BuiltInRoute] =
        ["/echo/…", "/anything/…", "/get", "/post", "/put", "/patch", "/delete"].map { pattern in
            BuiltInRoute(pattern, "the request in JSON: method, target, fields, body, form, parts; any method") {
                EchoResponder($0)
            }
        } + [
            BuiltInRoute("/upload", "byte count and SHA-256 of a body of any size and of each of its parts, in JSON") {
                UploadResponder($0)
            }
        ]
}

/// Responds with the whole request, in JSON.
struct EchoResponder: Responder {
    private var content: ContentScanner

    init(_ head: HTTPRequestHead) {
        self.content = ContentScanner(head)
    }

    var keepsBody: Bool { true }

    mutating func receive(_ bytes: ByteBuffer) {
        self.content.receive(bytes)
    }

    mutating func response(to request: ReceivedRequest) -> PendingResponse {
        let target = request.target
        var members: [(String, JSONOutput)] = [
            ("method", .string(request.method)),
            ("target", .string(request.head.uri)),
            ("path", .string(target.path)),
            ("query", .pairs(target.query)),
            ("version", .string("HTTP/\(request.head.version.major).\(request.head.version.minor)")),
            ("headers", .pairs(request.head.headers.map { (name: $0.name, value: $0.value) })),
            ("connection", .number(Int64(request.connectionID))),
            ("sequence", .number(Int64(request.sequence))),
            ("body", self.body(of: request)),
        ]
        do {
            members += try self.content.finish()
        } catch {
            return .ready(.error(400, error.reason))
        }
        if request.isBodyKeptWhole, self.content.isJSON {
            let bytes = Array(buffer: request.body)
            members.append(
                ("json", JSONScanner.accepts(bytes) ? .verbatim(String(decoding: bytes, as: UTF8.self)) : .null)
            )
        }
        if let trailers = request.trailers {
            members.append(("trailers", .pairs(trailers.map { (name: $0.name, value: $0.value) })))
        }
        return .ready(.json(.object(members)))
    }

    private func body(of request: ReceivedRequest) -> JSONOutput {
        var members: [(String, JSONOutput)] = [
            ("byteCount", .number(request.digest.byteCount)), ("sha256", .string(request.digest.sha256)),
        ]
        // For a body beyond the limit, only the digest is shown.
        if request.isBodyKeptWhole {
            let bytes = Array(buffer: request.body)
            if let text = String(validating: bytes, as: UTF8.self) {
                members.append(("text", .string(text)))
            } else {
                members.append(("base64", .string(Data(bytes).base64EncodedString())))
            }
        }
        return .object(members)
    }
}

/// Responds with counts and digests, in constant memory.
struct UploadResponder: Responder {
    private var content: ContentScanner

    init(_ head: HTTPRequestHead) {
        self.content = ContentScanner(head, parsesForm: false)
    }

    mutating func receive(_ bytes: ByteBuffer) {
        self.content.receive(bytes)
    }

    mutating func response(to request: ReceivedRequest) -> PendingResponse {
        var members: [(String, JSONOutput)] = [
            ("byteCount", .number(request.digest.byteCount)), ("sha256", .string(request.digest.sha256)),
        ]
        do {
            members += try self.content.finish()
        } catch {
            return .ready(.error(400, error.reason))
        }
        return .ready(.json(.object(members)))
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Crypto
import Foundation
import HTTPTypes
import Synchronization

@testable import Bluebonnet

/// A server of resumable uploads in memory, which can be told to misbehave.
final class UploadOrigin: Sendable {
    /// What goes wrong with one request that carries bytes.
    enum Fault: Sendable {
        /// So many bytes arrive; then the connection breaks.
        case cut(after: Int)
        /// Everything arrives, and the response gets lost.
        case silence
        /// This status, and nothing is taken.
        case status(Int, HTTPFields = [:])
        /// So many bytes are taken, and the response says so.
        case short(Int)
        /// The bytes are damaged on the way.
        case damaged
        /// The upload is lost.
        case lost
        /// The response names this offset, whatever was taken.
        case lie(Int)
    }

    struct Upload: Sendable {
        var length: Int
        var bytes: [UInt8] = []
        var isPartial = false
        var metadata: String?
        var isComplete = false
    }

    struct State {
        var uploads: [String: Upload] = [:]
        var faults: [Fault?] = []
        var requests: [RecordedRequest] = []
        var receivedByteCount = 0
        var nextNumber = 0
    }

    let extensions: String
    let fields: HTTPFields
    let isDraft: Bool
    /// Where uploads live; another server perhaps.
    let base: Mutex<String>
    let state = Mutex(State())

    static let largestUploadCount = 12

    init(
        isDraft: Bool = false,
        extensions: String = "creation,creation-with-upload,checksum,termination,concatenation",
        fields: HTTPFields = [:]
    ) {
        self.isDraft = isDraft
        self.extensions = extensions
        self.fields = fields
        self.base = Mutex("")
    }

    /// The next requests with bytes fail like this; nil for one that does not.
    func fail(_ faults: Fault?...) { self.state.withLock { $0.faults += faults } }

    var requests: [RecordedRequest] { self.state.withLock { $0.requests } }
    var methods: [String] { self.requests.map(\.method.rawValue) }
    var uploads: [String: Upload] { self.state.withLock { $0.uploads } }
    /// The whole files there are.
    var files: [Data] {
        self.uploads.values.filter { !$0.isPartial && $0.bytes.count == $0.length }.map { Data($0.bytes) }
    }
    /// The bytes of the bodies of all requests.
    var receivedByteCount: Int { self.state.withLock { $0.receivedByteCount } }

    /// Serves at `/files` and below.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - uploadCount: How many uploads can be begun.
    func serve(on server: TestServer, uploadCount: Int = UploadOrigin.largestUploadCount) {
        self.base.withLock { if $0.isEmpty { $0 = server.url } }
        for path in ["/files"] + (0..<uploadCount).map({ "/files/\($0)" }) {
            server.respond(to: path) { self.respond(to: $0) }
        }
    }

    func respond(to request: RecordedRequest) -> ScriptedResponse {
        let base = self.base.withLock { $0 }
        return self.state.withLock { state in
            state.requests.append(request)
            state.receivedByteCount += Int(request.bodyByteCount)
            switch request.method {
            case .options: return self.offer()
            case .head: return self.describe(state.uploads[request.path])
            case .delete:
                let known = state.uploads.removeValue(forKey: request.path) != nil
                return ScriptedResponse(status: .init(code: known ? 204 : 404))
            case .post where request.path == "/files": return self.create(request, base, &state)
            case .patch: return self.append(request, to: request.path, &state)
            default: return ScriptedResponse(status: .init(code: 405))
            }
        }
    }

    private func offer() -> ScriptedResponse {
        var response = ScriptedResponse(status: .init(code: 204), headers: self.fields)
        response.headers[.tusExtension] = self.extensions
        if response.headers[.tusVersion] == nil { response.headers[.tusVersion] = "1.0.0" }
        if response.headers[.tusChecksumAlgorithm] == nil {
            response.headers[.tusChecksumAlgorithm] = "md5,sha1,sha256"
        }
        return response
    }

    private func describe(_ upload: Upload?) -> ScriptedResponse {
        guard let upload else { return ScriptedResponse(status: .init(code: 404)) }
        var response = ScriptedResponse(status: .init(code: self.isDraft ? 204 : 200))
        response.headers[.offset] = "\(upload.bytes.count)"
        response.headers[.length] = "\(upload.length)"
        if self.isDraft { response.headers[.complete] = upload.isComplete ? "?1" : "?0" }
        return response
    }

    private func create(_ request: RecordedRequest, _ base: String, _ state: inout State) -> ScriptedResponse {
        let path = "/files/\(state.nextNumber)"
        state.nextNumber += 1
        var response: ScriptedResponse
        if let concat = request.headers[.concat], concat.hasPrefix("final;") {
            var whole = Upload(length: 0, metadata: request.headers[.metadata])
            for part in concat.dropFirst(6).split(separator: " ") {
                guard let upload = state.uploads[String(part.dropFirst(base.count))],
                    upload.bytes.count == upload.length
                else { return ScriptedResponse(status: .init(code: 400)) }
                whole.bytes += upload.bytes
            }
            whole.length = whole.bytes.count
            state.uploads[path] = whole
            response = ScriptedResponse(status: .created)
        } else {
            guard let length = request.headers.byteCount(.length) else { return ScriptedResponse(status: .badRequest) }
            state.uploads[path] = Upload(
                length: Int(length),
                isPartial: request.headers[.concat] == "partial",
                metadata: request.headers[.metadata]
            )
            if request.bodyByteCount > 0 || self.isDraft {
                response = self.append(request, to: path, &state)
                if response.status.code == 204 { response.status = .created }
            } else {
                response = ScriptedResponse(status: .created)
            }
        }
        response.headers[.location] = base + path
        if self.isDraft {
            var headers: HTTPFields = [.location: base + path]
            headers[.interopVersion] = request.headers[.interopVersion]
            response.informational = [.init(status: .init(code: 104), headers: headers)]
        }
        return response
    }

    private func append(_ request: RecordedRequest, to path: String, _ state: inout State) -> ScriptedResponse {
        let fault = request.bodyByteCount > 0 && !state.faults.isEmpty ? state.faults.removeFirst() : nil
        guard var upload = state.uploads[path] else { return ScriptedResponse(status: .init(code: 404)) }
        if request.method == .patch, request.headers.byteCount(.offset) != Int64(upload.bytes.count) {
            return ScriptedResponse(status: .init(code: 409))
        }
        var (body, response) = (request.body, ScriptedResponse(status: .init(code: 204), headers: self.fields))
        switch fault {
        case .cut(let count):
            body = Array(body.prefix(count))
            response.effect = .reset(.beforeResponse)
        case .silence: response.effect = .close(.beforeResponse)
        case .status(let code, let headers): return ScriptedResponse(status: .init(code: code), headers: headers)
        case .short(let count): body = Array(body.prefix(count))
        case .damaged: if !body.isEmpty { body[0] ^= 1 }
        case .lost:
            state.uploads[path] = nil
            return ScriptedResponse(status: .init(code: 410))
        case .lie, nil: break
        }
        if let checksum = request.headers[.checksum],
            checksum != "sha256 " + Data(SHA256.hash(data: body)).base64EncodedString()
        {
            return ScriptedResponse(status: .init(code: 460))
        }
        upload.bytes += body
        upload.isComplete = request.headers.flag(.complete) == true && upload.bytes.count == upload.length
        state.uploads[path] = upload
        response.headers[.offset] = "\(upload.bytes.count)"
        if case .lie(let offset) = fault { response.headers[.offset] = "\(offset)" }
        if self.isDraft { response.headers[.complete] = upload.isComplete ? "?1" : "?0" }
        return response
    }
}

/// A server of uploads, a session and a file to send.
final class UploadTestScene: Sendable {
    let server: TestServer
    let session: Session
    let directory: TemporaryDirectory
    let origin: UploadOrigin
    let bytes: Data
    private let settings: Mutex<ResumableUpload>

    /// How the file is uploaded.
    var upload: ResumableUpload {
        get { self.settings.withLock { $0 } }
        set { self.settings.withLock { $0 = newValue } }
    }

    private init(_ server: TestServer, _ session: Session, _ origin: UploadOrigin, _ bytes: Data) throws {
        self.server = server
        self.session = session
        self.directory = try TemporaryDirectory()
        self.origin = origin
        self.bytes = bytes
        self.settings = Mutex(origin.isDraft ? .draft() : .tus())
        try bytes.write(to: self.file)
    }

    var file: URL { self.directory.file("a") }

    static func run(
        _ origin: UploadOrigin = UploadOrigin(),
        byteCount: Int = 1000,
        pieceSize: Int64 = 300,
        retries: RetryPolicy = .never,
        _ body: (UploadTestScene) async throws -> Void
    ) async throws {
        var server = TestServer.Configuration()
        server.recordedBodyLimit = 16 * 1024 * 1024
        try await TestServer.withServer(configuration: server) { server in
            origin.serve(on: server)
            var configuration = Session.Configuration()
            configuration.retries = retries
            configuration.retries.backoff = .none
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            let bytes = Data(PatternBytes.bytes(byteCount))
            let scene = try UploadTestScene(server, session, origin, bytes)
            scene.upload.pieceSize = .fixed(pieceSize)
            try await body(scene)
            await session.transport.shutdown()
        }
    }

    /// Leaves out the response 104, after which the URL of an upload is known.
    func concealURL() {
        let origin = self.origin
        self.server.respond(to: "/files") { request in
            var response = origin.respond(to: request)
            response.informational = []
            return response
        }
    }

    /// Takes the whole, and answers the last piece with an error that belongs to all of it.
    func refuseWhole(with status: Int) {
        let origin = self.origin
        for path in ["/files", "/files/0"] {
            self.server.respond(to: path) { request in
                var response = origin.respond(to: request)
                if response.headers[.complete] == "?1", request.method != .head {
                    response.status = .init(code: status)
                }
                return response
            }
        }
    }

    func request() throws -> Request { Request(method: .post, url: try Peer.url("\(self.server.url)/files")) }

    func send(monitor: TransferMonitor? = nil) async throws -> UploadedFile {
        try await self.session.upload(self.file, with: self.request(), resuming: self.upload, monitor: monitor)
    }

    /// Sends, and is interrupted.
    func failing() async throws -> SessionError {
        do {
            _ = try await self.send()
        } catch let error as SessionError {
            return error
        }
        throw SessionError(.interceptorFailed, reason: "the upload was not interrupted")
    }
}

extension HTTPFields {
    /// What a server says that has so many bytes of an upload.
    static func having(_ byteCount: Int) -> HTTPFields {
        var fields = HTTPFields()
        fields[.offset] = "\(byteCount)"
        return fields
    }
}

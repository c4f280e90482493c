// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// Sends one part of the file, which for most uploads is the whole, and asks the server for its offset if that is
/// uncertain.
struct UploadPartTransfer: Sendable {
    private enum Step {
        /// The server has everything.
        case complete(Response)
        /// The server's offset is known.
        case proceed
        /// The server's offset is not known.
        case ask
    }

    let scene: UploadScene
    let index: Int
    private var sizer: UploadPieceSizer
    private var patience: TransferPatience
    private var limits: UploadLimits
    /// The largest acknowledged offset.
    private var furthest: Int64 = -1
    private var conflictCount = 0
    /// The beginning of the last piece that the server has accepted, and the response to it.
    private var accepted: (start: Int64, response: Response)?
    /// The number of successive pieces that the server has accepted, but not acknowledged.
    private var uselessCount = 0
    private var lossCount = 0
    /// Whether this upload has sent nothing of the part yet.
    private var isUntouched: Bool
    /// Whether the failed request may not be sent again.
    private var isDeadEnd = false

    /// How often in a row a server may disagree about the offset, lose the upload, or acknowledge nothing.
    static var largestCount: Int { 3 }

    init(_ scene: UploadScene, index: Int, _ capabilities: UploadCapabilities, isUntouched: Bool = true) {
        self.scene = scene
        self.index = index
        self.sizer = UploadPieceSizer(scene.upload.pieceSize)
        self.patience = scene.patience
        self.limits = capabilities.limits
        self.isUntouched = isUntouched
    }

    private var part: UploadJournal.Part { get async { await self.scene.ledger.journal.parts[self.index] } }

    /// Sends the bytes that the server lacks.
    ///
    /// - Returns: The response that completed the upload.
    mutating func run() async throws -> Response {
        var mustAsk = await self.part.url != nil
        while true {
            try await self.scene.pass()
            do {
                switch mustAsk ? try await self.inquire() : try await self.send() {
                case .complete(let response): return response
                case .proceed: mustAsk = false
                case .ask: mustAsk = true
                }
            } catch let error as SessionError {
                guard !self.isDeadEnd else { throw error }
                self.sizer.failed()
                try await self.patience.wait(after: error, self.scene.request)
                mustAsk = await self.part.url != nil
            }
        }
    }

    // MARK: Inquiries

    private mutating func inquire() async throws -> Step {
        let part = await self.part
        guard let url = part.url else { return .proceed }
        var request = try self.scene.request(to: url)
        self.scene.dialect.inquire(&request)
        let response = try await self.scene.exchange(request)
        if Self.isLost(response) { return try await self.startAgain(response) }
        try Self.validate(response)
        let receipt = try self.scene.dialect.receipt(response.headers, for: nil, of: part.to - part.from)
        // An upload of another length is not this one.
        if let length = receipt.length, length != part.to - part.from { return try await self.startAgain(response) }
        guard let offset = receipt.offset else {
            throw SessionError.uploadProtocol("the server does not say how much of the upload it has", response)
        }
        try await self.take(offset, receipt, response)
        if self.isUntouched { await self.scene.ledger.resumed(at: part.from + offset, ofPart: self.index) }
        self.isUntouched = false
        let isAll = part.from + offset == part.to
        guard receipt.isComplete else { return .proceed }
        guard isAll else {
            throw SessionError.uploadProtocol("the server ended the upload after \(offset) bytes", response)
        }
        return .complete(response)
    }

    // MARK: Sending

    private mutating func send() async throws -> Step {
        self.isUntouched = false
        try self.scene.source.check()
        var part = await self.part
        // A creation begins with the first byte, whatever a server has acknowledged of an upload without a URL.
        if part.url == nil { part.offset = part.from }
        try self.countUseless(before: part.offset - part.from)
        let capabilities = await self.scene.ledger.journal.capabilities
        let size = try self.size(in: part, capabilities)
        let range = part.offset..<(part.offset + size)
        let piece = UploadPiece(
            fileName: self.scene.source.url.lastPathComponent,
            range: (range.lowerBound - part.from)..<(range.upperBound - part.from),
            length: part.to - part.from,
            isOfPart: await self.scene.ledger.journal.parts.count > 1
        )
        var request = try part.url.map { try self.scene.request(to: $0) } ?? self.scene.request
        request.body = self.scene.source.body(range)
        if part.url == nil {
            try self.scene.dialect.create(&request, piece)
        } else {
            self.scene.dialect.append(&request, piece)
        }
        if self.scene.upload.digestsPieces {
            try self.scene.dialect.addDigest(&request, of: range, self.scene.source, capabilities)
        }
        let started = self.scene.clock.now
        let response: Response
        let step: Step
        do {
            response = try await self.scene.exchange(request, ofPart: self.index)
            step = try await self.step(after: response, piece, isCreation: part.url == nil)
        } catch var error as SessionError {
            // The transport knows of a file that was cut only that its body had too few bytes.
            if error.code == .bodyFailed { try self.scene.source.check() }
            guard part.url == nil, piece.isWhole else { throw error }
            // The server may have processed the whole. Without a URL nothing can be asked.
            let isKnown = await self.part.url != nil
            if !isKnown, self.scene.isUndecided(error) {
                error.undecidedMethod = request.method
                self.isDeadEnd = !self.scene.mayRepeat(request.method)
            }
            throw error
        }
        // A creation without content has no bytes to acknowledge.
        if response.status.kind == .successful, part.url != nil || !piece.range.isEmpty {
            self.accepted = (piece.range.lowerBound, response)
        }
        if case .ask = step { return step }
        self.sizer.succeeded(size, within: started.duration(to: self.scene.clock.now))
        // Bytes read from a file that changed meanwhile belong to neither version.
        try self.scene.source.check()
        return step
    }

    /// Counts pieces without progress: a server that accepts every piece and acknowledges none would be sent the same
    /// bytes forever.
    ///
    /// A piece is useful if the next one begins after its beginning. That need not be a position that no piece has
    /// reached before: a server that has lost bytes gets them again. The empty piece that ends an upload is followed by
    /// another one only if it was useless.
    ///
    /// - Parameter offset: The position of the next piece.
    /// - Throws: `SessionError` with `uploadProtocolFailed` if there were too many in a row.
    private mutating func countUseless(before offset: Int64) throws(SessionError) {
        guard let (start, response) = self.accepted.take(), offset <= start else { return }
        self.uselessCount += 1
        guard self.uselessCount > Self.largestCount else { return }
        throw SessionError.uploadProtocol("the server takes bytes, and acknowledges none of them", response)
    }

    private func size(
        in part: UploadJournal.Part,
        _ capabilities: UploadCapabilities
    ) throws(SessionError) -> Int64 {
        if part.url == nil, !self.scene.dialect.createsWithContent(capabilities) { return 0 }
        guard self.limits.largestPiece != 0 || part.offset == part.to else {
            throw SessionError.uploadProtocol("the server takes no piece of an upload: its limit is 0 bytes")
        }
        return self.sizer.next(of: part.to - part.offset, self.limits)
    }

    private mutating func step(after response: Response, _ piece: UploadPiece, isCreation: Bool) async throws -> Step {
        if piece.isLast, self.scene.dialect.isRefusalOfWhole(response) {
            // An inquiry would report that the server has everything, which looks like success.
            self.isDeadEnd = true
            await self.scene.ledger.remove()
            throw Self.refusal(response)
        }
        switch response.status.code {
        case 409 where !isCreation:
            self.conflictCount += 1
            guard self.conflictCount <= Self.largestCount else { throw Self.refusal(response) }
            return .ask
        case 460:
            throw SessionError(
                .digestMismatch,
                reason: "the server found a piece of the upload damaged on its way",
                response: response,
                isRequestSent: true
            )
        default:
            if !isCreation, Self.isLost(response) { return try await self.startAgain(response) }
        }
        let isIndirect = self.scene.dialect.isIndirectSuccess(response)
        if !isIndirect { try Self.validate(response) }
        // That of an indirect success is no upload's.
        if isCreation, !isIndirect, let location = response.headers[.location] {
            guard let target = RedirectTarget(location, from: response.url ?? self.scene.request.url) else {
                throw SessionError.uploadProtocol("the server has given the upload a URL that cannot be used", response)
            }
            try await self.scene.ledger.created(target.url, ofPart: self.index)
        }
        let receipt = try self.scene.dialect.receipt(response.headers, for: piece, of: piece.length)
        if receipt.isComplete {
            guard piece.isLast, (receipt.offset ?? piece.length) == piece.length else {
                let count = receipt.offset ?? piece.range.upperBound
                throw SessionError.uploadProtocol("the server ended the upload after \(count) bytes", response)
            }
            try await self.take(piece.length, receipt, response)
            return .complete(response)
        }
        guard await self.part.url != nil else {
            throw SessionError.uploadProtocol(
                "the server has not said where the upload goes on; it may not support resumable uploads",
                response
            )
        }
        // A creation without content has no bytes to count.
        if isCreation, piece.range.isEmpty, receipt.offset == nil {
            return piece.length == 0 ? .complete(response) : .proceed
        }
        guard let offset = receipt.offset else { return .ask }
        guard piece.range.lowerBound <= offset, offset <= piece.range.upperBound else { return .ask }
        try await self.take(offset, receipt, response)
        return .proceed
    }

    // MARK: Receipts

    /// Records the server's offset.
    private mutating func take(_ offset: Int64, _ receipt: UploadReceipt, _ response: Response) async throws {
        let part = await self.part
        guard offset <= part.to - part.from else {
            throw SessionError.uploadProtocol("the server has more bytes of the upload than there are", response)
        }
        if let limits = receipt.limits { self.limits = limits }
        if let largest = self.limits.largestFile, largest < self.scene.source.byteCount {
            throw SessionError.tooLarge(self.scene.source.byteCount, largest)
        }
        try await self.scene.ledger.acknowledge(part.from + offset, ofPart: self.index)
        if let expires = receipt.expires { try await self.scene.ledger.expires(expires) }
        guard offset > self.furthest else { return }
        self.furthest = offset
        self.conflictCount = 0
        self.uselessCount = 0
        self.patience.progressed()
    }

    /// Starts again because the server no longer has the upload.
    private mutating func startAgain(_ response: Response) async throws -> Step {
        self.lossCount += 1
        guard self.scene.upload.whenLost == .startAgain, self.lossCount <= Self.largestCount else {
            throw SessionError(
                .uploadLost,
                reason: "the server does not have the upload any more; discard it, or let it start again",
                response: response,
                isRequestSent: true
            )
        }
        self.furthest = -1
        try await self.scene.ledger.reset(part: self.index)
        return .proceed
    }

    static func isLost(_ response: Response) -> Bool { [404, 410].contains(response.status.code) }

    private static func validate(_ response: Response) throws(SessionError) {
        guard response.status.kind != .successful else { return }
        throw self.refusal(response)
    }

    static func refusal(_ response: Response) -> SessionError {
        let isRedirect = response.status.kind == .redirection
        return SessionError(
            .unacceptableStatus,
            reason: isRedirect
                ? "the server redirects the upload with status \(response.status.code), which was not followed"
                : "the server refuses the upload with status \(response.status.code)",
            response: response,
            isRequestSent: true
        )
    }
}

extension SessionError {
    static func tooLarge(_ byteCount: Int64, _ limit: Int64) -> SessionError {
        SessionError(
            .uploadTooLarge,
            reason: "the file has \(byteCount) bytes, and the server takes \(limit)",
            isRequestSent: true
        )
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An upload of a file that can be continued after a lost connection, a cancellation or a killed process.
///
/// ```swift
/// let uploaded = try await session.upload(file, to: url, resuming: .tus())
/// ```
///
/// The file is sent in pieces, and the server reports how many bytes it has. A journal beside the file, or in
/// ``journalDirectory``, records the URL of the upload; the next upload of the same file to the same URL finds it, in any
/// process. Only its owner can read it, it contains no header field and no credential, and it is removed when the
/// upload is complete. It is locked meanwhile: a second upload of the same file to the same URL fails with
/// ``SessionError/Code/uploadInUse``.
///
/// The ``RetryPolicy`` of the request or the session decides what is sent again after a failure: its attempts count
/// from the last byte that the server has acknowledged.
public struct ResumableUpload: Sendable {
    enum Kind: Sendable {
        case tus(TusOptions)
        case draft(UploadDraftVersion)
    }

    /// What to do if an upload cannot be continued.
    public enum Recovery: Sendable, Hashable {
        /// It fails; the journal is kept.
        case fail
        /// It starts again with the first byte.
        case startAgain
    }

    private(set) var kind: Kind

    /// The number of bytes that each request carries: adaptive unless changed.
    public var pieceSize = UploadPieceSize.adaptive

    /// The folder of the journal; nil, the default, for the folder of the file.
    ///
    /// The folder has to exist.
    public var journalDirectory: URL?

    /// What to do if the server no longer has the upload (404 or 410): start again, unless changed.
    ///
    /// With `fail` the error is ``SessionError/Code/uploadLost``.
    public var whenLost = Recovery.startAgain

    /// What to do if the file is not the one that the upload began with: fail with ``SessionError/Code/sourceChanged``,
    /// unless changed.
    ///
    /// Size, modification time and inode are compared. A file that changes while it is read always fails the upload;
    /// the next one starts again then. The unfinished upload of the earlier file is terminated on the server.
    public var whenChanged = Recovery.fail

    /// Whether each piece carries its digest: false unless changed.
    ///
    /// With tus that is `Upload-Checksum`, if the server supports `sha256` or `sha1`; in the draft `Content-Digest`
    /// with SHA-256 (RFC 9530). Each piece is then read twice.
    public var digestsPieces = false

    /// Whether the SHA-256 digest of the whole file is kept in the journal: false unless changed.
    ///
    /// The file is then read once before the upload begins. Another file with the same bytes, for example a restored
    /// copy, counts as the same one.
    public var digestsSource = false

    /// Whether the file is removed when the server has all of it: false unless changed.
    public var removesFile = false

    /// The same upload, created without content where that is safe, so that its URL is in the journal before the server
    /// can process the file.
    ///
    /// With the draft it is not: a server without the draft would take the empty request for the whole.
    var createdWithoutContent: ResumableUpload {
        guard case .tus(var options) = self.kind else { return self }
        options.createsWithContent = false
        var upload = self
        upload.kind = .tus(options)
        return upload
    }

    /// The tus protocol, version 1.0.0.
    ///
    /// - Parameter options: The options of tus in addition to the common ones.
    /// - Returns: The upload.
    public static func tus(_ options: TusOptions = TusOptions()) -> ResumableUpload {
        ResumableUpload(kind: .tus(options))
    }

    /// The IETF draft "Resumable Uploads for HTTP", draft-ietf-httpbis-resumable-upload.
    ///
    /// The request keeps its method, POST or PUT, and its fields. A server that does not support the draft takes the
    /// first piece for the whole, and the upload fails with ``SessionError/Code/uploadProtocolFailed``; with
    /// ``UploadPieceSize/whole`` it receives the whole.
    ///
    /// - Parameter version: The interop version, which server and client must have in common.
    /// - Returns: The upload.
    public static func draft(_ version: UploadDraftVersion = .v6) -> ResumableUpload {
        ResumableUpload(kind: .draft(version))
    }
}

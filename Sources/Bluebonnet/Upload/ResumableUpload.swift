// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// How a file is uploaded so that the upload goes on where it stopped: after a lost connection, a cancellation or a killed process.
///
/// ```swift
/// let uploaded = try await session.upload(file, to: url, resuming: .tus())
/// ```
///
/// The file is sent in pieces, and the server says how many bytes it has. A journal beside the file, or in ``journalFolder``, remembers the
/// URL of the upload; the next upload of the same file to the same URL finds it, in whichever process. It is readable by its owner only,
/// holds no header field and no credential, and is removed when the upload is complete. It is locked meanwhile: a second upload of the same
/// file to the same URL fails with ``SessionError/Code/uploadInUse``.
///
/// What is sent again after a failure is decided by the ``RetryPolicy`` of the request or the session: its attempts count from the last
/// byte that the server has acknowledged.
public struct ResumableUpload: Sendable {
    enum Kind: Sendable {
        case tus(TusOptions)
        case draft(UploadDraftVersion)
    }

    /// What to do where an upload cannot go on.
    public enum Recovery: Sendable, Hashable {
        /// It fails; the journal stays.
        case fail
        /// It starts again with the first byte.
        case startAgain
    }

    let kind: Kind

    /// How many bytes each request carries: adaptive unless changed.
    public var pieceSize = UploadPieceSize.adaptive

    /// Where the journal is kept; nil, the default, for the folder of the file.
    ///
    /// The folder has to exist.
    public var journalFolder: URL?

    /// What to do where the server has no such upload any more (404 or 410): start again, unless changed.
    ///
    /// With `fail` the error is ``SessionError/Code/uploadLost``.
    public var whenLost = Recovery.startAgain

    /// What to do where the file is not the one that the upload began with: fail with ``SessionError/Code/sourceChanged``, unless changed.
    ///
    /// Looked at are size, time of modification and inode. A file that changes while it is read fails the upload in any case.
    public var whenChanged = Recovery.fail

    /// Whether each piece carries its digest: false unless changed.
    ///
    /// With tus that is `Upload-Checksum`, where the server offers `sha256` or `sha1`; in the draft `Content-Digest` with SHA-256
    /// (RFC 9530). Each piece is then read twice.
    public var digestsPieces = false

    /// Whether the SHA-256 digest of the whole file is kept in the journal: false unless changed.
    ///
    /// The file is then read once before the upload begins. Another file with the same bytes, a restored copy for example, is taken for the
    /// same one.
    public var digestsSource = false

    /// Whether the file is removed when the server has all of it: false unless changed.
    public var removesFile = false

    /// The tus protocol, version 1.0.0.
    ///
    /// - Parameter options: What tus has beyond the common settings.
    /// - Returns: The upload.
    public static func tus(_ options: TusOptions = TusOptions()) -> ResumableUpload {
        ResumableUpload(kind: .tus(options))
    }

    /// The IETF draft "Resumable Uploads for HTTP", draft-ietf-httpbis-resumable-upload.
    ///
    /// The request keeps its method, POST or PUT, and its fields. A server that does not know the draft takes the first piece for the whole,
    /// and the upload fails with ``SessionError/Code/uploadProtocolFailed``; with ``UploadPieceSize/whole`` it takes the whole.
    ///
    /// - Parameter version: The interop version, which server and client have to share.
    /// - Returns: The upload.
    public static func draft(_ version: UploadDraftVersion = .v6) -> ResumableUpload {
        ResumableUpload(kind: .draft(version))
    }
}

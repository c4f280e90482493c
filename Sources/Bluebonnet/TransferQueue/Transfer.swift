// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

/// A download or an upload of a ``TransferQueue``: what is to be done, and how far it has come.
///
/// ```swift
/// try await queue.add(.download(url, to: destination, label: "weights"))
/// try await queue.add(.upload(file, to: url, resuming: .tus(), priority: .high))
/// ```
///
/// What is written to the disk is this value and nothing else. It has no header fields: those of each request, and whatever else is secret, are
/// set by the function that the queue was given. A URL with user information, or with a query whose names say that it is secret, is refused.
public struct Transfer: Sendable, Identifiable {
    /// What is to be transferred.
    public enum Work: Sendable {
        /// The response goes into a file.
        case download(to: URL, options: DownloadOptions, policy: DownloadPolicy)
        /// A file goes to the server, which speaks the protocol of a ``ResumableUpload``.
        case upload(URL, method: HTTPRequest.Method, resuming: ResumableUpload)
    }

    /// The identity of the transfer, which is the name of its record.
    public let id: ID

    /// The URL that is asked, without fragment.
    public let url: URL

    /// What is to be transferred.
    public let work: Work

    /// The program's own name for the transfer; it is written to the disk as it is.
    public let label: String?

    /// When it was added.
    public let added: Date

    /// Which of the transfers that wait starts first.
    public internal(set) var priority: Priority

    /// Where it is in its life.
    public internal(set) var state = State.waiting

    /// The bytes that are on the disk, or that the server has acknowledged, and those of the whole.
    ///
    /// It is written to the disk with each change of ``state``, and told by ``TransferQueue/changes`` in between.
    public internal(set) var progress = TransferProgress()

    /// The attempts that have failed since the last one that brought bytes.
    public internal(set) var failedAttemptCount = 0

    /// The earliest time of the next attempt, by the time of day; nil if it may start at once.
    public internal(set) var nextStart: Date?

    /// What went wrong last; nil if nothing did, or if the transfer is finished.
    public internal(set) var failure: Failure?

    /// The file on this machine: the destination of a download, the source of an upload.
    public var file: URL {
        switch self.work {
        case .download(let destination, _, _): destination
        case .upload(let file, _, _): file
        }
    }

    init(
        _ id: ID,
        _ url: URL,
        _ work: Work,
        priority: Priority,
        label: String?,
        added: Date = .distantPast
    ) {
        self.id = id
        self.url = url.withoutFragment
        self.work = work
        self.priority = priority
        self.label = label
        self.added = added
    }

    /// The same transfer under an identity of its own.
    func identified(by id: ID, added: Date) -> Transfer {
        Transfer(id, self.url, self.work, priority: self.priority, label: self.label, added: added)
    }

    /// A download, for ``TransferQueue/add(_:)``.
    ///
    /// It is a GET request. The bytes are kept in a partial file beside the destination; see ``DownloadPolicy``.
    ///
    /// - Parameters:
    ///   - url: The URL, http or https.
    ///   - destination: The file's URL; a relative one is made absolute now.
    ///   - options: What may be done to get the file there.
    ///   - policy: The digest, limits and durability; interrupted downloads go on, whatever ``DownloadPolicy/resume`` says.
    ///   - priority: Which of the transfers that wait starts first.
    ///   - label: The program's own name for the transfer, of 4,096 bytes at most.
    /// - Returns: The transfer, not yet added.
    public static func download(
        _ url: URL,
        to destination: URL,
        options: DownloadOptions = [],
        policy: DownloadPolicy = .resuming,
        priority: Priority = .normal,
        label: String? = nil
    ) -> Transfer {
        var policy = policy
        policy.resume = .always
        let work = Work.download(to: destination.absoluteURL, options: options, policy: policy)
        return Transfer(ID(bitPattern: 0, 0), url, work, priority: priority, label: label)
    }

    /// An upload of a file, for ``TransferQueue/add(_:)``.
    ///
    /// - Parameters:
    ///   - file: The file's URL; a relative one is made absolute now.
    ///   - url: The URL that creates uploads, http or https.
    ///   - method: POST unless given; PUT counts with the draft alone.
    ///   - upload: The protocol, and how the upload goes on.
    ///   - priority: Which of the transfers that wait starts first.
    ///   - label: The program's own name for the transfer, of 4,096 bytes at most.
    /// - Returns: The transfer, not yet added.
    public static func upload(
        _ file: URL,
        to url: URL,
        method: HTTPRequest.Method = .post,
        resuming upload: ResumableUpload,
        priority: Priority = .normal,
        label: String? = nil
    ) -> Transfer {
        let work = Work.upload(file.absoluteURL, method: method, resuming: upload)
        return Transfer(ID(bitPattern: 0, 0), url, work, priority: priority, label: label)
    }
}

extension URL {
    /// The fragment is not sent, and may hold a secret that nothing else on the disk has.
    fileprivate var withoutFragment: URL {
        let text = self.absoluteString
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
        return URL(string: String(text[..<mark])) ?? self
    }
}

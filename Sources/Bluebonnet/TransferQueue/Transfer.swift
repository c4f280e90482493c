// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

/// A download or an upload of a ``TransferQueue``: the work, and its progress.
///
/// ```swift
/// try await queue.add(.download(url, to: destination, label: "weights"))
/// try await queue.add(.upload(file, to: url, resuming: .tus(), priority: .high))
/// ```
///
/// Only this value is written to the disk. It has no header fields: those of each request, and all other secrets, are
/// set by the function that the queue was given. A URL with user information, or with a query whose names suggest a
/// secret, is refused.
public struct Transfer: Sendable, Identifiable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The work of a transfer.
    public enum Work: Sendable {
        /// The response is written into a file.
        case download(to: URL, destinationOptions: DownloadOptions, policy: DownloadPolicy)
        /// A file is sent to the server, which implements the protocol of a ``ResumableUpload``.
        case upload(URL, method: HTTPRequest.Method, resuming: ResumableUpload)
    }

    /// The identity of the transfer, which is the name of its record.
    public let id: ID

    /// The URL of the request, without fragment.
    public let url: URL

    /// The work of the transfer.
    public let work: Work

    /// The program's own name for the transfer; it is written to the disk unchanged.
    public let label: String?

    /// When the transfer was added.
    public let added: Date

    /// The order in which waiting transfers start.
    public internal(set) var priority: Priority

    /// The state of the transfer.
    public internal(set) var state = State.waiting

    /// The bytes on the disk, or acknowledged by the server, and their total.
    ///
    /// It is written to the disk with each change of ``state``, and published by ``TransferQueue/changes`` in between.
    public internal(set) var progress = TransferProgress()

    /// The number of failed attempts since the last one with progress.
    public internal(set) var failedAttemptCount = 0

    /// The earliest time of day of the next attempt; nil if it may start at once.
    public internal(set) var nextStart: Date?

    /// The last failure; nil if there was none, or if the transfer is finished.
    public internal(set) var failure: Failure?

    /// The local file: the destination of a download, the source of an upload.
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

    /// The same transfer with its own identity.
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
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: The digest, limits and durability; interrupted downloads continue, whatever
    ///     ``DownloadPolicy/resume`` says.
    ///   - priority: The order in which waiting transfers start.
    ///   - label: The program's own name for the transfer, of 4,096 bytes at most.
    /// - Returns: The transfer, not yet added.
    public static func download(
        _ url: URL,
        to destination: URL,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = .resuming,
        priority: Priority = .normal,
        label: String? = nil
    ) -> Transfer {
        var policy = policy
        policy.resume = .always
        let work = Work.download(
            to: destination.absoluteURL,
            destinationOptions: destinationOptions,
            policy: policy
        )
        return Transfer(ID(bitPattern: 0, 0), url, work, priority: priority, label: label)
    }

    /// An upload of a file, for ``TransferQueue/add(_:)``.
    ///
    /// - Parameters:
    ///   - file: The file's URL; a relative one is made absolute now.
    ///   - url: The URL that creates uploads, http or https.
    ///   - method: POST by default; PUT is used with the draft only.
    ///   - upload: The protocol, and how an upload continues.
    ///   - priority: The order in which waiting transfers start.
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
    /// The URL without its fragment, which is not sent, and may be a secret.
    fileprivate var withoutFragment: URL {
        let text = self.absoluteString
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
        return URL(string: String(text[..<mark])) ?? self
    }
}

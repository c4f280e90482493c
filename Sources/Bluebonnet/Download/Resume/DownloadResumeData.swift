// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// The data to continue a download that was cancelled or has failed, as a value that can be stored.
///
/// It contains no credentials: no header fields, and the URL without user information, query and fragment. The caller
/// that resumes makes the request anew. The bytes are in the file that it names; that file has to stay where it is.
///
/// Version 1, as JSON:
///
/// ```json
/// {"byteCount":1024,"destination":"file:///srv/image.iso","entityTag":"\"a1\"","partialName":".image.iso.bluebonnet-part",
///  "totalByteCount":4096,"url":"https://example.com/image.iso","version":1}
/// ```
public struct DownloadResumeData: Sendable, Hashable, Codable {
    /// The version that is written, and the only one that is read: 1.
    public static let currentVersion = 1

    /// The version of this value.
    public let version: Int

    /// The URL that the bytes came from, without user information, query and fragment.
    public let url: String

    /// The destination of the file.
    public let destination: URL

    /// The name of the partial file, in the directory of the destination.
    public let partialName: String

    /// The number of bytes received.
    public let byteCount: Int64

    /// The total number of bytes; nil if the server did not send it.
    public let totalByteCount: Int64?

    /// The strong entity tag of the representation.
    public let entityTag: String

    init(_ journal: DownloadJournal, destination: URL, partialName: String, byteCount: Int64) {
        self.version = Self.currentVersion
        self.url = journal.source
        self.destination = destination
        self.partialName = partialName
        self.byteCount = byteCount
        self.totalByteCount = journal.byteCount
        self.entityTag = journal.entityTag
    }

    /// Decodes and checks resume data.
    ///
    /// - Throws: `DecodingError` for another version, and for values that this library does not write.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.version = try container.decode(Int.self, forKey: .version)
        self.url = try container.decode(String.self, forKey: .url)
        self.destination = try container.decode(URL.self, forKey: .destination)
        self.partialName = try container.decode(String.self, forKey: .partialName)
        self.byteCount = try container.decode(Int64.self, forKey: .byteCount)
        self.totalByteCount = try container.decodeIfPresent(Int64.self, forKey: .totalByteCount)
        self.entityTag = try container.decode(String.self, forKey: .entityTag)
        // The name in particular: only a partial file may be written to.
        guard self.version == Self.currentVersion, PartialFile.isName(self.partialName), self.byteCount >= 0,
            self.totalByteCount ?? 0 >= 0, EntityTag.isStrong(self.entityTag)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "these are not resume data of version 1")
            )
        }
    }
}

/// What is left on the disk of a download that ended with an error.
public struct DownloadRemains: Sendable, Hashable {
    /// The file with the bytes.
    public var file: URL

    /// The number of bytes.
    public var byteCount: Int64

    /// Whether all bytes have been received: only the last step, the move to the destination, has failed.
    public var isComplete: Bool

    /// The value for ``Session/downloadTask(resumeData:with:destinationOptions:policy:)``; nil if it cannot be
    /// continued.
    public var resumeData: DownloadResumeData?
}

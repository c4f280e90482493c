// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// How a download handles interruptions, wrong bytes, and a loss of power.
///
/// ```swift
/// let file = try await api.download("image.iso", to: destination, policy: .resuming)
/// ```
public struct DownloadPolicy: Sendable {
    /// What happens to the bytes of an unfinished download.
    public enum Resume: Sendable, Hashable {
        /// They are removed, and every download starts with the first byte.
        case never
        /// They are kept beside the destination, as `.NAME.bluebonnet-part`, and the next download to the same
        /// destination continues with them, in any process: after an error, a cancellation or a kill.
        ///
        /// It continues only with a representation of the same strong entity tag, requested with `If-Range`; otherwise
        /// it starts again. A response without a strong entity tag is not kept.
        case always
    }

    /// What is written to the disk, rather than only passed to the system, and when.
    public enum Durability: Sendable, Hashable {
        /// Nothing: a loss of power soon after the end may lose the file, or leave it empty.
        case none
        /// The file and its name, before the download ends. After a loss of power during the download it starts again.
        case commit
        /// In addition the bytes and the journal, each time this many bytes have arrived, so that the download
        /// continues after a loss of power.
        case journal(every: Int64)
    }

    /// What happens to the bytes of an unfinished download; they are removed unless this is changed.
    public var resume = Resume.never

    /// The digest that the file must have; nil, the default, if it is not known.
    ///
    /// A file with another digest is removed, and the download fails with ``SessionError/Code/digestMismatch``.
    public var digest: ContentDigest?

    /// Whether the digests that the server sends, in `Repr-Digest` and `Content-Digest`, are verified (RFC 9530); true unless changed.
    ///
    /// They are taken from the header and from the trailers; for those of the trailers the file is read again.
    public var verifiesResponseDigests = true

    /// What is written to the disk, and when: the file and its name at the end, unless changed.
    public var durability = Durability.commit

    /// The largest file, in bytes; nil, the default, for no limit.
    ///
    /// A larger one fails with ``SessionError/Code/responseTooLarge``, before its first byte if its length is known.
    public var maximumByteCount: Int64?

    /// Which responses are saved: those with a status of 200 to 299 and any content type, unless changed.
    ///
    /// A response without content, such as a 204, is saved as an empty file. To a request for the rest of a file only
    /// 200, 203 and 206 are accepted, whatever this says of other successes: the bytes at hand are not replaced by
    /// nothing.
    ///
    /// The acceptable types are sent as Accept, unless the request has that field.
    public var validation = ResponseValidation()

    /// How many ranges of the file are received at a time, each over its own connection: 1 unless changed, 16 at most.
    ///
    /// The download begins with one ordinary request. If its response has a strong entity tag, a length and
    /// `Accept-Ranges: bytes`, other parts are requested with `If-Range`; otherwise that one response delivers the
    /// whole file. Parallel ranges help if a server limits the rate of each connection, and on routes that lose
    /// packets. An interrupted part is requested again, as often as there are parts in all.
    public var parallelism = 1 {
        didSet { self.parallelism = min(max(self.parallelism, 1), Self.largestParallelism) }
    }

    /// The smallest number of bytes that is requested separately: 1 MiB unless changed.
    ///
    /// A file is not divided into smaller ranges.
    public var smallestRangeByteCount: Int64 = 1024 * 1024 {
        didSet { self.smallestRangeByteCount = max(self.smallestRangeByteCount, 1) }
    }

    private static var largestParallelism: Int { 16 }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - resume: What happens to the bytes of an unfinished download.
    ///   - digest: The digest that the file must have.
    ///   - verifiesResponseDigests: Whether the digests that the server sends are verified.
    ///   - durability: What is written to the disk, and when.
    ///   - maximumByteCount: The largest file, in bytes; nil for no limit.
    ///   - validation: Which responses are saved.
    ///   - parallelism: How many ranges of the file are received at a time, from 1 to 16.
    ///   - smallestRangeByteCount: The smallest number of bytes that is requested separately, 1 or more.
    public init(
        resume: Resume = .never,
        digest: ContentDigest? = nil,
        verifiesResponseDigests: Bool = true,
        durability: Durability = .commit,
        maximumByteCount: Int64? = nil,
        validation: ResponseValidation = ResponseValidation(),
        parallelism: Int = 1,
        smallestRangeByteCount: Int64 = 1024 * 1024
    ) {
        self.resume = resume
        self.digest = digest
        self.verifiesResponseDigests = verifiesResponseDigests
        self.durability = durability
        self.maximumByteCount = maximumByteCount
        self.validation = validation
        self.parallelism = min(max(parallelism, 1), Self.largestParallelism)
        self.smallestRangeByteCount = max(smallestRangeByteCount, 1)
    }

    /// Continues an earlier download to the same destination.
    public static let resuming = DownloadPolicy(resume: .always)

    /// Continues an earlier download to the same destination, and verifies the whole file.
    ///
    /// - Parameter digest: The digest that the file must have.
    /// - Returns: The policy.
    public static func resuming(expecting digest: ContentDigest) -> DownloadPolicy {
        DownloadPolicy(resume: .always, digest: digest)
    }
}

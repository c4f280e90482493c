// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// A download in a record.
///
/// Default values are omitted, so that a person can read the rest.
struct TransferDownloadRecord: Codable, Sendable {
    enum Durability: String, Codable {
        case none, commit, journal
    }

    var destination: URL
    var options: UInt8
    var digest: ContentDigest?
    var ignoresResponseDigests: Bool?
    var durability: Durability
    var journalInterval: Int64?
    var maximumByteCount: Int64?
    var validation: ResponseValidation?
    var parallelism: Int?
    var smallestRange: Int64?

    init(_ destination: URL, _ options: DownloadOptions, _ policy: DownloadPolicy) {
        let usual = DownloadPolicy()
        self.destination = destination
        self.options = options.rawValue
        self.digest = policy.digest
        self.ignoresResponseDigests = policy.verifiesResponseDigests ? nil : true
        switch policy.durability {
        case .none: self.durability = .none
        case .commit: self.durability = .commit
        case .journal(let interval): (self.durability, self.journalInterval) = (.journal, interval)
        }
        self.maximumByteCount = policy.maximumByteCount
        self.validation = policy.validation == usual.validation ? nil : policy.validation
        self.parallelism = policy.parallelism == usual.parallelism ? nil : policy.parallelism
        self.smallestRange =
            policy.smallestRangeByteCount == usual.smallestRangeByteCount ? nil : policy.smallestRangeByteCount
    }

    /// The download; nil if no queue has written the record.
    var work: Transfer.Work? {
        guard self.destination.isFileURL else { return nil }
        var policy = DownloadPolicy(resume: .always, digest: self.digest)
        if let parallelism { policy.parallelism = parallelism }
        if let smallestRange { policy.smallestRangeByteCount = smallestRange }
        if let validation { policy.validation = validation }
        policy.verifiesResponseDigests = self.ignoresResponseDigests != true
        policy.maximumByteCount = self.maximumByteCount
        policy.durability =
            switch self.durability {
            case .none: .none
            case .commit: .commit
            case .journal: .journal(every: self.journalInterval ?? 1)
            }
        let options = DownloadOptions(rawValue: self.options)
        return .download(to: self.destination, destinationOptions: options, policy: policy)
    }
}

/// An upload in a record.
struct TransferUploadRecord: Codable, Sendable {
    struct Tus: Codable {
        var metadata: [String: String]
        var parallelism: Int
        var createsWithContent: Bool
    }

    var file: URL
    var method: String
    var tus: Tus?
    var draft: Int?
    /// The number of bytes in each piece; 0 for the whole, nil for adaptive.
    var pieceSize: Int64?
    var journalDirectory: URL?
    var failsWhenLost: Bool
    var startsAgainWhenChanged: Bool
    var digestsPieces: Bool
    var digestsSource: Bool
    var removesFile: Bool

    init(_ file: URL, _ method: HTTPRequest.Method, _ upload: ResumableUpload) {
        self.file = file
        self.method = method.rawValue
        switch upload.kind {
        case .tus(let options):
            self.tus = Tus(
                metadata: options.metadata,
                parallelism: options.parallelism,
                createsWithContent: options.createsWithContent
            )
        case .draft(let version): self.draft = version.rawValue
        }
        switch upload.pieceSize {
        case .adaptive: break
        case .whole: self.pieceSize = 0
        case .fixed(let count): self.pieceSize = max(count, 1)
        }
        self.journalDirectory = upload.journalDirectory?.absoluteURL
        self.failsWhenLost = upload.whenLost == .fail
        self.startsAgainWhenChanged = upload.whenChanged == .startAgain
        self.digestsPieces = upload.digestsPieces
        self.digestsSource = upload.digestsSource
        self.removesFile = upload.removesFile
    }

    /// The upload; nil if no queue has written the record.
    var work: Transfer.Work? {
        guard self.file.isFileURL, self.journalDirectory?.isFileURL ?? true,
            let method = HTTPRequest.Method(rawValue: self.method), var upload = self.upload
        else { return nil }
        switch self.pieceSize {
        case nil: upload.pieceSize = .adaptive
        case 0: upload.pieceSize = .whole
        case let count?: upload.pieceSize = .fixed(count)
        }
        upload.journalDirectory = self.journalDirectory
        upload.whenLost = self.failsWhenLost ? .fail : .startAgain
        upload.whenChanged = self.startsAgainWhenChanged ? .startAgain : .fail
        upload.digestsPieces = self.digestsPieces
        upload.digestsSource = self.digestsSource
        upload.removesFile = self.removesFile
        return .upload(self.file, method: method, resuming: upload)
    }

    private var upload: ResumableUpload? {
        switch (self.tus, self.draft) {
        case (let tus?, nil):
            var options = TusOptions(metadata: tus.metadata, parallelism: tus.parallelism)
            options.createsWithContent = tus.createsWithContent
            return .tus(options)
        case (nil, let version?): return .draft(UploadDraftVersion(rawValue: version))
        default: return nil
        }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TaskEvent {
    /// Creates the event of a file that a task has saved, or could not save; nil for a task with another outcome.
    init?<Output>(ofFileIn outcome: Result<Output, any Error>) {
        switch outcome {
        case .success(let value):
            guard let file = (value as? any FileDelivery)?.deliveredFile else { return nil }
            self = .fileSaved(file.url)
        case .failure(let error as SessionError) where error.isAboutFile:
            self = .fileNotSaved(error)
        default:
            return nil
        }
    }
}

/// A value that may be a file.
protocol FileDelivery {
    var deliveredFile: DownloadedFile? { get }
}

extension DownloadedFile: FileDelivery {
    var deliveredFile: DownloadedFile? { self }
}

extension DeliveredResponse: FileDelivery {
    var deliveredFile: DownloadedFile? {
        if case .file(let file) = self { file } else { nil }
    }
}

extension SessionError {
    fileprivate var isAboutFile: Bool {
        switch self.code {
        case .destinationExists, .destinationUnavailable, .storageFull, .storageFailed: true
        default: false
        }
    }
}

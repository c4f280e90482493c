// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// What to download, and how.
struct DownloadPlan: Sendable {
    /// The request for the whole.
    var request: Request
    var destination: DownloadDestination
    var options: DownloadOptions
    var policy: DownloadPolicy
    var resumeData: DownloadResumeData?
    /// Whether the session's function for destinations is not called.
    var isPlaced = false

    /// The same plan, with the session's function for destinations, which takes precedence.
    func deciding(
        _ decide: (@Sendable (_ temporary: URL, _ response: Response) throws -> URL?)?
    ) -> DownloadPlan {
        guard let decide, self.resumeData == nil, !self.isPlaced else { return self }
        var plan = self
        plan.destination = .decided { [destination] temporary, response in
            if let url = try decide(temporary, response) { return url }
            return switch destination {
            case .file(let url): url
            case .decided(let decide): try decide(temporary, response)
            }
        }
        return plan
    }

    /// Whether parts of the file may be requested: not if the request itself asks for one.
    var mayAskForParts: Bool { self.request.method == .get && !self.request.headers.contains(.range) }

    /// Whether bytes of an earlier download may be used, and a later one may use those of this one.
    var mayResume: Bool { (self.policy.resume == .always || self.resumeData != nil) && self.mayAskForParts }

    /// Whether a response may be received in parallel with others: its server supports ranges, and enough is missing.
    func mayDivide(_ response: StreamedResponse, missing byteCount: Int64) -> Bool {
        guard self.policy.parallelism > 1, self.mayAskForParts, response.body.collectedBytes == nil,
            byteCount / 2 >= self.policy.smallestRangeByteCount
        else { return false }
        return response.status == .partialContent || response.acceptsByteRanges
    }

    /// The target that the destination names, or that its function returns.
    func place(for response: StreamedResponse) throws -> DownloadTarget {
        switch self.destination {
        case .file(let url): return try DownloadTarget(url, options: self.options)
        case .decided(let decide):
            let name = "bluebonnet-\(UUID().uuidString)"
            let temporary = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .notDirectory)
            return try DownloadTarget(decide(temporary, response.response(body: Data())), options: self.options)
        }
    }
}

extension StreamedResponse {
    /// Whether the server supports byte ranges (RFC 9110 section 14.3).
    fileprivate var acceptsByteRanges: Bool {
        self.headers[values: .acceptRanges].contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { unit in
                let unit = unit.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
                return unit.map { $0 | 0x20 }.elementsEqual("bytes".utf8)
            }
        }
    }
}

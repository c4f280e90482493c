// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for parts of BluebonnetSerialization that are not there yet; shadowed names disappear with this file.

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

extension RequestBody {
    var contentLength: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .stream(let length, _, _): length
        default: nil
        }
    }
    var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = self { isReplayable } else { true }
    }
    func makeReader() throws -> any BodyReader {
        switch self {
        case .stream(_, _, let makeReader): return try makeReader()
        case .data(let data): return PendingReader(data: data)
        default: throw SerializationError(.readFailed, reason: "not implemented")
        }
    }
}

private struct PendingReader: BodyReader {
    var data: Data
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let piece = self.data.prefix(buffer.count)
        self.data = self.data.dropFirst(piece.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }
}

extension ParameterValue {
    init(encoding value: some Encodable) throws(SerializationError) {
        throw SerializationError(.unencodableValue, reason: "not implemented")
    }
}

extension MultipartFormData {
    var contentType: String { "multipart/form-data" }
}

struct HTTPRequestSerializer: RequestSerializer {
    func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request { request }
}

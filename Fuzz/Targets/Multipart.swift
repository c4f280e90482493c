// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// Checks that any names, types and contents make a body of the declared length that contains nothing else.
///
/// The first byte is the size of the reads; zero bytes separate the fields.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let pieces = input.dropFirst().split(separator: 0, maxSplits: 40, omittingEmptySubsequences: false)
    var form = MultipartFormData(boundary: "fuzz-boundary-fuzz-boundary")
    var contents: [Data] = []
    var rest = pieces[...]
    while rest.count >= 4 {
        let part = Array(rest.prefix(4))
        rest = rest.dropFirst(4)
        let text = part.map { String(decoding: $0, as: UTF8.self) }
        let filename = part[1].isEmpty ? nil : text[1]
        let contentType = part[2].isEmpty ? nil : text[2]
        form.append(Data(part[3]), name: text[0], filename: filename, contentType: contentType)
        contents.append(Data(part[3]))
    }
    guard let body = try? collect(form, chunk: Int(first) + 1) else { return 0 }
    precondition(body.count == form.contentLength, "a body of another length than promised")
    check(body, contents: contents, boundary: form.boundary)
    return 0
}

private func collect(_ form: MultipartFormData, chunk: Int) throws -> Data {
    var reader = try form.makeReader()
    var body = Data()
    var buffer = [UInt8](repeating: 0, count: chunk)
    while true {
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        if count == 0 { return body }
        body.append(contentsOf: buffer[..<count])
    }
}

/// Reads the body by the known lengths, so that every byte is checked.
private func check(_ body: Data, contents: [Data], boundary: String) {
    if contents.isEmpty { return precondition(body.isEmpty, "bytes without parts") }
    var rest = body[...]
    for (index, content) in contents.enumerated() {
        take((index == 0 ? "" : "\r\n") + "--\(boundary)\r\n", from: &rest)
        while let end = rest.firstRange(of: Data("\r\n".utf8)), end.lowerBound > rest.startIndex {
            let line = rest[..<end.lowerBound]
            let isKnown = ["Content-Disposition: form-data; name=\"", "Content-Type: "].contains {
                line.starts(with: $0.utf8)
            }
            precondition(isKnown, "a header field that nobody asked for")
            precondition(line.allSatisfy { $0 >= 0x20 || $0 == 0x09 }, "a control character in a header field")
            rest = rest[end.upperBound...]
        }
        take("\r\n", from: &rest)
        precondition(rest.starts(with: content), "other content than was given")
        rest = rest.dropFirst(content.count)
    }
    take("\r\n--\(boundary)--\r\n", from: &rest)
    precondition(rest.isEmpty, "bytes after the end")
}

private func take(_ text: String, from rest: inout Data) {
    precondition(rest.starts(with: text.utf8), "expected \(text.debugDescription)")
    rest = rest.dropFirst(text.utf8.count)
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// Checks that a suggested file name has no separator, no leading dot, no control character, and at most 200 bytes.
///
/// The first line is a Content-Disposition field, the rest is the path of a URL.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let first = input.prefix { $0 != 0x0A }
    let disposition = String(decoding: first, as: UTF8.self)
    let path = String(decoding: input.dropFirst(first.count + 1), as: UTF8.self)
    check(SuggestedFilename.name(disposition: disposition, urlPath: path))
    check(SuggestedFilename.name(disposition: nil, urlPath: disposition))
    // A complete field around any text, quoted and escaped.
    let escapes: [UInt8] = Array("\"\\".utf8)
    let bytes = disposition.utf8.flatMap { escapes.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    let quoted = String(decoding: bytes, as: UTF8.self)
    check(SuggestedFilename.name(disposition: "attachment; filename=\"\(quoted)\"", urlPath: ""))
    check(SuggestedFilename.name(disposition: "attachment; filename*=UTF-8''\(disposition)", urlPath: ""))
    let parameters = HeaderParameters("x; filename=\"\(quoted)\"").parameters["filename"]
    precondition(parameters?.utf8.elementsEqual(disposition.utf8) == true, "a quoted text came back differently")
    for (name, _) in HeaderParameters(disposition).parameters {
        precondition(!name.isEmpty && !name.utf8.contains { "=; \t".utf8.contains($0) }, "a name that is none")
    }
    return 0
}

private func check(_ name: String?) {
    guard let name else { return }
    let bytes = Array(name.utf8)
    precondition((1...200).contains(bytes.count), "a name of \(bytes.count) bytes")
    precondition(!bytes.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }, "a name with a separator")
    precondition(!bytes.contains { $0 < 0x20 || $0 == 0x7F }, "a name with a control character")
    precondition(bytes.first != UInt8(ascii: ".") && bytes.first != UInt8(ascii: "~"), "a name that hides or leaves")
    // In a folder, the name is the last path component, and the folder is the one before.
    let below = URL(filePath: "/folder", directoryHint: .isDirectory).appending(
        path: name,
        directoryHint: .notDirectory
    )
    let path = below.standardizedFileURL.path(percentEncoded: false)
    precondition(
        path.utf8.starts(with: "/folder/".utf8) && path.utf8.count == "/folder/".utf8.count + bytes.count,
        path
    )
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes

/// Checks that a Content-Type field, which is the first line, and a body, which is the rest, are parsed or rejected.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let field = input.prefix { $0 != 0x0A }
    var headers = HTTPFields()
    headers[.contentType] = String(decoding: field, as: UTF8.self)
    let response = Response(status: .ok, headers: headers, body: Data(input.dropFirst(field.count + 1)))
    if let type = response.mediaType {
        // A parsed type matches its own name and the patterns that include it.
        for pattern in [type, "*/*", "\(type.prefix { $0 != "/" })/*", type.uppercased()] {
            let validation = ResponseValidation(contentTypes: [pattern])
            do {
                try validation.validate(response)
            } catch {
                fatalError("\(type) is not \(pattern)")
            }
        }
    }
    _ = try? ResponseValidation(contentTypes: ["text/plain", "application/*+json"]).validate(response)
    _ = try? StringResponseSerializer().serialize(response)
    _ = try? JSONResponseSerializer().serialize(response)
    for charset in Charset.allCases { _ = charset.decode(response.body) }
    return 0
}

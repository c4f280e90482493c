// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes

private let limits = ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000)
private let serializer = DecodableResponseSerializer([String: JSONValue].self, limits: limits)

/// Checks that any bytes are JSON or an error, and that a value is unchanged when it is encoded and parsed again;
/// Foundation's decoder, after the check of its limits, returns the same value or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let headers: HTTPFields = [.contentType: "application/json"]
    _ = try? serializer.serialize(Response(status: .ok, headers: headers, body: Data(bytes)))
    let parser = JSONParser(limits: limits)
    guard let value = try? parser.parse(bytes) else { return 0 }
    for isPretty in [false, true] {
        let written = value.serialized(isPretty: isPretty, sortsKeys: isPretty)
        guard let again = try? JSONValue(parsing: written), again == value, again.hashValue == value.hashValue else {
            fatalError("\(value) came back differently")
        }
    }
    _ = value.removingNulls()
    return 0
}

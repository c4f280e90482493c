// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes

private let limits = ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000)
private let serializer = DecodableResponseSerializer(
    [String: [String: Int]].self,
    decoder: PropertyListDecoder(),
    validation: ResponseValidation(contentTypes: nil),
    limits: limits
)

/// Checks that any bytes are a property list, XML or binary, or an error, and that parsed lists can be compared.
///
/// Foundation's decoder, which runs after our parser, traps on none of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(UnsafeBufferPointer(start: start, count: count))
    _ = try? serializer.serialize(Response(status: .ok, body: data))
    let parser = PropertyListParser(limits: limits)
    if let value = try? parser.parse(data) { precondition(value.hashValue == value.hashValue) }
    return 0
}

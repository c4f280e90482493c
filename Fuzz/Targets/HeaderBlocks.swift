// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

@testable import BluebonnetTransport

/// Checks that any bytes are header blocks or an error, and that a decoded field is unchanged when it is encoded again.
///
/// The first byte of each block is its length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var rest = [UInt8](UnsafeBufferPointer(start: start, count: count))[...]
    var (decoder, again, encoder) = (HPACKDecoder(), HPACKDecoder(), HPACKEncoder())
    while let length = rest.popFirst() {
        let bytes = rest.prefix(Int(length))
        rest = rest.dropFirst(bytes.count)
        var fields = HTTP2ResponseFields(limits: TransportLimits())
        var (written, read) = (ByteBuffer(), 0)
        do {
            try decoder.decode(ByteBuffer(bytes: bytes)) { field in
                read += 1
                fields.append(field)
            }
        } catch { return 0 }
        precondition(read <= bytes.count, "more fields than bytes")
        encoder.begin(&written)
        for field in fields.fields {
            field.withUnsafeBytesOfValue {
                encoder.append(field.name.canonicalName, $0, indexing: .incremental, into: &written)
            }
        }
        var copy = HTTP2ResponseFields(limits: TransportLimits())
        do { try again.decode(written) { copy.append($0) } } catch {
            preconditionFailure("a block of ours is not read")
        }
        precondition(copy.fields == fields.fields, "other fields came back")
    }
    return 0
}

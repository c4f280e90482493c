// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto

@testable import BluebonnetTransport

/// Any bytes are a PKCS #12 file or an error, as the whole file and as what is in one whose code is right.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    // Numbers of rounds with three bytes, up to the limit, take seconds and find nothing more.
    for index in input.indices.dropLast(2) where input[index] == 2 && input[index + 1] == 3 {
        if (1...30).contains(input[index + 2]) { return 0 }
    }
    for file in [input, sealed(input)] {
        guard let bundle = try? PKCS12Bundle(file, name: "file", passphrase: "") else { continue }
        precondition(!bundle.certificates.isEmpty, "a bundle without a certificate")
        _ = try? bundle.key()
    }
    return 0
}

/// A file around its content, with the code that an empty passphrase gives (RFC 7292 appendix B.2, one round).
private func sealed(_ content: [UInt8]) -> [UInt8] {
    let salt = [UInt8](repeating: 1, count: 8)
    let seed = [UInt8](repeating: 3, count: 64) + (0..<64).map { salt[$0 % salt.count] }
    let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: SHA256.hash(data: seed)))
    let algorithm = node(0x30, node(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]))
    let mac = node(0x30, node(0x30, algorithm + node(0x04, Array(code))) + node(0x04, salt))
    let type = node(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
    return node(0x30, node(0x02, [3]) + node(0x30, type + node(0xA0, node(0x04, content))) + mac)
}

/// A value of DER with its type and its length, which is below 64 KiB.
private func node(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
    value.count < 128
        ? [type, UInt8(value.count)] + value
        : [type, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
}

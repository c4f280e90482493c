// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

@testable import BluebonnetTransport

/// Any bytes are answers of a proxy, or the beginning of a handshake, or a fault; they mean the same in one piece and byte by byte.
///
/// The first byte says whose bytes the others are: those of a SOCKS proxy, of an HTTP proxy, or of a server that speaks TLS.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch kind % 3 {
    case 0:
        let proxy = Proxy(scheme: .socks5h, host: "p", username: "ada", password: "secret")
        guard let negotiation = try? SOCKS5Negotiation(proxy: proxy, destination: .name("host"), port: 443) else {
            preconditionFailure("a name of four bytes is refused")
        }
        compare(negotiation, bytes)
    case 1:
        let proxy = Proxy(scheme: .http, host: "p", username: "ada", password: "secret")
        let origin = Origin(scheme: .https, host: "host")
        compare(HTTPTunnelNegotiation(proxy: proxy, origin: origin, limits: TransportLimits()), bytes)
    default:
        let whole = hello(bytes, pieceSize: max(bytes.count, 1))
        precondition(hello(bytes, pieceSize: 1) == whole, "another hello in pieces")
    }
    return 0
}

private func compare(_ negotiation: some ProxyNegotiation, _ bytes: [UInt8]) {
    let whole = outcome(negotiation, bytes, pieceSize: max(bytes.count, 1))
    precondition(outcome(negotiation, bytes, pieceSize: 1) == whole, "another outcome in pieces")
}

/// How a negotiation ends, and how often it has sent something; what it sends may hold random bytes.
private func outcome(_ negotiation: some ProxyNegotiation, _ bytes: [UInt8], pieceSize: Int) -> String {
    var (negotiation, buffer, sent) = (negotiation, ByteBuffer(), 1)
    precondition(negotiation.begin().readableBytes > 0, "nothing is sent first")
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        buffer.writeBytes(bytes[start..<min(start + pieceSize, bytes.count)])
        reading: while true {
            do throws(TransportError) {
                switch try negotiation.receive(&buffer) {
                case .needsMore: break reading
                case .send(let answer):
                    precondition(answer.readableBytes > 0, "an empty answer")
                    sent += 1
                    precondition(sent <= bytes.count + 2, "more answers than bytes")
                case .done: return "done after \(sent)"
                case .redial: return "redial after \(sent)"
                }
            } catch { return "\(error.code) after \(sent)" }
        }
    }
    return "waiting after \(sent)"
}

private func hello(_ bytes: [UInt8], pieceSize: Int) -> ServerHelloReader.Progress {
    var reader = ServerHelloReader()
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        let progress = reader.read(bytes[start..<min(start + pieceSize, bytes.count)])
        if progress != .needsMore { return progress }
    }
    return .needsMore
}

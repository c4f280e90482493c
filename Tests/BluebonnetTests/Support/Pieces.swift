// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import NIOCore

@testable import Bluebonnet

/// Ways to cut a stream into buffers.
enum Cut: Sendable, CustomStringConvertible {
    case whole
    case every(Int)
    /// At random places; the same ones for the same seed.
    case random(seed: UInt64)
    /// Two pieces.
    case at(Int)

    /// Every way that a property test tries, besides all cuts into two pieces.
    static let several: [Cut] =
        [.whole, .every(1), .every(2), .every(3), .every(7)] + (1...8).map { .random(seed: $0) }

    var description: String {
        switch self {
        case .whole: "whole"
        case .every(let count): "in pieces of \(count)"
        case .random(let seed): "at random places, seed \(seed)"
        case .at(let place): "at \(place)"
        }
    }

    func pieces(of bytes: [UInt8]) -> [ByteBuffer] {
        var pieces: [ByteBuffer] = []
        var rest = bytes[...]
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        if case .random(let seed) = self { state &*= seed &* 2 &+ 1 }
        while !rest.isEmpty {
            let count: Int
            switch self {
            case .whole: count = rest.count
            case .every(let length): count = length
            case .random:
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                count = Int(state >> 33) % 12 + 1
            case .at(let place): count = pieces.isEmpty && place > 0 ? place : rest.count
            }
            pieces.append(ByteBuffer(bytes: rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

extension StreamParser {
    /// The elements of a stream that is cut, and the error that ended it.
    mutating func elements(
        of bytes: [UInt8],
        cut: Cut = .whole
    ) -> (elements: [Element], error: SessionError?) {
        var elements: [Element] = []
        do throws(SessionError) {
            for piece in cut.pieces(of: bytes) {
                self.append(piece)
                while let element = try self.next() { elements.append(element) }
            }
            while let element = try self.next() { elements.append(element) }
            if let element = try self.finish() { elements.append(element) }
        } catch {
            return (elements, error)
        }
        return (elements, nil)
    }
}

extension StreamedResponse {
    /// A response whose body comes in pieces.
    static func streaming(_ text: String, cut: Cut = .every(3)) throws -> StreamedResponse {
        self.streaming(Array(text.utf8), to: Request(url: try Peer.url("http://h/stream")), cut: cut)
    }

    static func streaming(_ bytes: [UInt8], to request: Request, cut: Cut) -> StreamedResponse {
        let body = ScriptedBody(cut.pieces(of: bytes).map { .buffer($0) })
        return StreamedResponse(to: request, status: .ok, body: ResponseBody(source: body, expectedLength: nil))
    }
}

extension AsyncSequence {
    /// All elements.
    func all() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore

@testable import Bluebonnet

/// Checks that splitting a stream of events, lines or records does not change its elements, and that limits hold.
///
/// The first byte is the size of the pieces; the rest is the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let limits = EventLimits(lineByteCount: 200, eventByteCount: 300, idByteCount: 20)
    let events = elements(EventStreamParser(limits: limits), bytes, first)
    for event in events {
        precondition(!event.type.isEmpty, "an event without a type")
        precondition(!event.lastEventID.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "an id that is no field")
    }
    checkAgainstStandard(bytes)
    for options in [LineOptions(lineByteCount: 100, ending: .lineFeed), LineOptions(lineByteCount: 100, ending: .any)] {
        _ = elements(TextLineParser(options), bytes, first)
    }
    let texts = elements(StreamSplitter(at: .recordSeparator, limit: 100), bytes, first)
    precondition(
        texts.allSatisfy { !$0.readableBytesView.contains(0x1E) && $0.readableBytes <= 100 },
        "a text that is two"
    )
    return 0
}

/// Returns the elements of a stream that is parsed at once, and checks that those of its pieces are the same.
private func elements<Parser: StreamParser>(_ parser: Parser, _ bytes: [UInt8], _ size: UInt8) -> [Parser.Element]
where Parser.Element: Equatable {
    let whole = run(parser, [bytes[...]])
    let pieces = run(
        parser,
        stride(from: 0, to: bytes.count, by: max(Int(size), 1)).map { place in
            bytes[place...].prefix(max(Int(size), 1))
        }
    )
    precondition(whole.elements == pieces.elements, "a cut changed what was read")
    precondition(whole.isRefused == pieces.isRefused, "a cut changed what is refused")
    return whole.elements
}

private func run<Parser: StreamParser>(
    _ parser: Parser,
    _ pieces: [ArraySlice<UInt8>]
) -> (elements: [Parser.Element], isRefused: Bool) {
    var parser = parser
    var elements: [Parser.Element] = []
    do throws(SessionError) {
        for piece in pieces {
            parser.append(ByteBuffer(bytes: piece))
            while let element = try parser.next() { elements.append(element) }
        }
        if let element = try parser.finish() { elements.append(element) }
    } catch {
        precondition(error.code == .limitExceeded || error.code == .serializationFailed, "\(error)")
        return (elements, true)
    }
    return (elements, false)
}

/// Compares the events with a direct implementation of the standard on the whole text (WHATWG HTML section 9.2.6).
private func checkAgainstStandard(_ bytes: [UInt8]) {
    var events: [ServerSentEvent] = []
    var (data, type, id) = ("", "", "")
    var hasData = false
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
        let line = rest[..<end]
        let isPair = rest[end] == 0x0D && rest.dropFirst(line.count + 1).first == 0x0A
        rest = rest[(end + (isPair ? 2 : 1))...]
        if line.isEmpty {
            if hasData {
                let name = type.isEmpty ? "message" : type
                events.append(
                    ServerSentEvent(type: name, data: String(data.unicodeScalars.dropLast()), lastEventID: id)
                )
            }
            (data, type, hasData) = ("", "", false)
            continue
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        if line[..<colon].elementsEqual("data".utf8) {
            data += text + "\n"
            hasData = true
        } else if line[..<colon].elementsEqual("event".utf8) {
            type = text
        } else if line[..<colon].elementsEqual("id".utf8), !value.contains(0) {
            id = text
        }
    }
    let read = run(EventStreamParser(), [bytes[...]])
    precondition(!read.isRefused && read.elements.count == events.count, "\(read.elements) in place of \(events)")
    for (one, other) in zip(read.elements, events) {
        precondition(one.type.utf8.elementsEqual(other.type.utf8), "\(one) in place of \(other)")
        precondition(one.data.utf8.elementsEqual(other.data.utf8), "\(one) in place of \(other)")
        precondition(one.lastEventID.utf8.elementsEqual(other.lastEventID.utf8), "\(one) in place of \(other)")
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct ResumeVerdictTests {
    struct Table: Decodable {
        var cases: [Case]
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var status: Int
        var byteCount: Int64?
        var source: String?
        var hasDigest: Bool?
        var isLengthUnknown: Bool?
        var fields: [String: String]
        var verdict: String
        var restart: DownloadRestart?

        var testDescription: String { self.name }
    }

    static var cases: [Case] {
        get throws {
            let url = Bundle.module.url(
                forResource: "resume-verdicts",
                withExtension: "json",
                subdirectory: "Fixtures/downloads"
            )
            return try JSONDecoder().decode(Table.self, from: Data(contentsOf: try #require(url))).cases
        }
    }

    private func point(of length: Int64?) throws -> ResumePoint {
        let text =
            #"{"version":1,"source":"http://h/file","entityTag":"\"a\"","digests":[],"ranges":[]"#
            + (length.map { ",\"byteCount\":\($0)}" } ?? "}")
        let journal = try #require(DownloadJournal(Array(text.utf8)))
        return try #require(ResumePoint(journal, usable: [.init(from: 0, to: 100)]))
    }

    @Test(
        .bug(id: "F442"),
        .bug(id: "F496"),
        .bug(id: "F740"),
        .bug(id: "F741"),
        .bug(id: "F799"),
        arguments: try Self.cases
    )
    func `a response to a request for the rest has one meaning`(_ line: Case) throws {
        var fields = HTTPFields()
        for (name, value) in line.fields { fields[try #require(HTTPField.Name(name))] = value }
        let verdict = ResumeVerdict(
            status: line.status,
            headers: fields,
            byteCount: line.byteCount,
            source: line.source ?? "http://h/file",
            to: try self.point(of: line.isLengthUnknown == true ? nil : 1000),
            acceptsOtherSource: line.hasDigest ?? false
        )
        switch verdict {
        case .append(let last, let byteCount):
            #expect(line.verdict == "append")
            #expect(last == 999 || last == 499)
            #expect(byteCount == 1000)
        case .startOver(let restart):
            #expect(line.verdict == "startOver")
            #expect(restart == line.restart)
        case .askAgain(let restart):
            #expect(line.verdict == "askAgain")
            #expect(restart == line.restart)
        case .isComplete: #expect(line.verdict == "isComplete")
        case .otherSuccess: #expect(line.verdict == "otherSuccess")
        case .unrelated: #expect(line.verdict == "unrelated")
        }
    }

    @Test(
        .bug(id: "F300"),
        .bug(id: "F741"),
        arguments: [
            (nil, nil, true), ("gzip", nil, true), ("gzip", "gzip", true), ("gzip", "br", false), (nil, "gzip", false),
            (nil, "identity", true), ("gzip", "GZIP, Identity", true),
        ] as [(String?, String?, Bool)]
    )
    func `a part has another content coding only if it says so`(
        _ known: String?,
        _ stated: String?,
        _ isSame: Bool
    ) throws {
        var point = try self.point(of: 1000)
        point.journal.contentEncoding = known
        var fields: HTTPFields = [.eTag: #""a""#, .contentRange: "bytes 100-999/1000"]
        fields[.contentEncoding] = stated
        let verdict = ResumeVerdict(
            status: 206,
            headers: fields,
            byteCount: 900,
            source: "http://h/file",
            to: point,
            acceptsOtherSource: false
        )
        let expected: ResumeVerdict = isSame ? .append(upTo: 999, of: 1000) : .askAgain(.changed)
        #expect(verdict == expected)
    }

    @Test(arguments: [
        (#""a""#, true), (#""""#, true), (#"W/"a""#, false), ("a", false), (#""a"#, false), ("\"", false), ("", false),
        (#""a"b""#, false), ("\"a b\"", false), ("\"\u{E9}\"", true), ("\"\u{FFFD}\"", false),
    ])
    func `only a strong entity tag counts`(_ text: String, _ isStrong: Bool) {
        #expect(EntityTag.isStrong(text) == isStrong)
    }

    @Test func `an entity tag that is not UTF-8 is none`() {
        let field = HTTPField(name: .eTag, lenientValue: [0x22, 0xE9, 0x22])
        #expect(EntityTag(field.value) == nil)
        #expect(!EntityTag.isStrong(field.value))
        #expect(EntityTag("\"\u{E9}\"") != nil)
    }

    @Test(
        .bug(id: "F741"),
        arguments: [([], nil), (["identity"], nil), (["", "Identity"], nil), (["GZIP", "identity,br"], "gzip, br")]
            as [([String], String?)]
    )
    func `identity is no content coding of a file`(_ values: [String], _ coding: String?) {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .contentEncoding, value: value)) }
        #expect(DownloadJournal.contentEncoding(fields) == coding)
    }

    @Test(.bug(id: "F741")) func `two entity tags in one response count as none unless they are equal`() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .eTag, value: #""a""#))
        #expect(EntityTag.strong(fields) == #""a""#)
        fields.append(HTTPField(name: .eTag, value: #""a""#))
        #expect(EntityTag.strong(fields) == #""a""#)
        fields.append(HTTPField(name: .eTag, value: #""b""#))
        #expect(EntityTag.strong(fields) == nil)
    }

    @Test(arguments: [
        ("same", 700, 700), ("other", 700, 300), ("none", 700, 300), ("same", 1001, 0), ("other", 100, 100),
    ])
    func `after another start of the system only synchronized bytes count`(
        _ boot: String,
        _ stored: Int64,
        _ usable: Int64
    ) throws {
        let text = """
            {"version":1,"source":"http://h/","entityTag":"\\"a\\"","byteCount":1000,"digests":[],"boot":"same",
             "ranges":[{"from":0,"to":300}]}
            """
        let journal = try #require(DownloadJournal(Array(text.utf8)))
        let spans = journal.usableSpans(of: stored, boot: boot == "none" ? nil : boot)
        #expect(spans.first { $0.from == 0 }?.to ?? 0 == usable)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"version":2,"source":"","entityTag":"\"a\"","digests":[],"ranges":[]}"#,
        #"{"version":1,"source":"","entityTag":"W/\"a\"","digests":[],"ranges":[]}"#,
        #"{"version":1,"source":"","entityTag":"\"a\"","digests":[],"ranges":[],"byteCount":-1}"#,
        #"{"version":1,"source":"","entityTag":"\"a\"","digests":[],"ranges":[{"from":5,"to":3}]}"#,
        #"{"version":1,"source":"","entityTag":"\"a\"","digests":[{"algorithm":"sha-256","bytes":"AA=="}],"ranges":[]}"#,
    ])
    func `a journal that is not one counts as absent`(_ text: String) {
        #expect(DownloadJournal(Array(text.utf8)) == nil)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct UploadFieldsTests {
    private static func headers(_ field: UploadField, _ values: [String]) throws -> HTTPFields {
        let name = try #require(HTTPField.Name(field.rawValue))
        var headers = HTTPFields()
        for value in values { headers.append(HTTPField(name: name, value: value)) }
        return headers
    }

    @Test(
        arguments: [
            (["0"], 0), (["42"], 42), ([" 42\t"], 42), (["999999999999999999"], 999_999_999_999_999_999),
            (["1000000000000000000"], nil), (["-1"], nil), (["+1"], nil), (["1.0"], nil), (["0x10"], nil), ([""], nil),
            ([], nil),
            (["1", "1"], 1), (["1", "2"], nil), (["٣"], nil), (["1, 1"], nil),
        ] as [([String], Int64?)]
    )
    func `an offset is a number in digits`(_ values: [String], _ count: Int64?) throws {
        #expect(try Self.headers(.offset, values).byteCount(.offset) == count)
    }

    @Test(
        arguments: [
            (["?1"], true), (["?0"], false), ([" ?1 "], true), (["?1;a=b"], true), (["?1 ;a"], true), (["1"], nil),
            (["true"], nil),
            (["?2"], nil), ([""], nil), ([], nil), (["?1", "?0"], nil), (["??1"], nil),
        ] as [([String], Bool?)]
    )
    func `the end of an upload is a Boolean of structured fields`(_ values: [String], _ flag: Bool?) throws {
        #expect(try Self.headers(.complete, values).flag(.complete) == flag)
    }

    @Test(
        arguments: [
            (
                ["max-size=10, max-append-size=5, min-append-size=2"],
                UploadLimits(largestFile: 10, largestPiece: 5, smallestPiece: 2)
            ),
            (["max-size=10;x=1,min-append-size=0"], UploadLimits(largestFile: 10, smallestPiece: 0)),
            (["max-size=10", "max-append-size=5"], UploadLimits(largestFile: 10, largestPiece: 5)),
            (["expires=5, unknown=1"], UploadLimits()),
            (["max-size=-1, max-append-size=x, =, ,,"], UploadLimits()),
            ([], nil),
        ] as [([String], UploadLimits?)]
    )
    func `the limits of a server are a dictionary of structured fields`(
        _ values: [String],
        _ limits: UploadLimits?
    ) throws {
        #expect(try Self.headers(.limit, values).uploadLimits == limits)
    }

    @Test func `metadata is sorted and in Base64`() throws {
        let dialect = TusDialect(options: TusOptions(metadata: ["b": "ü", "a": "", "filetype": "text/plain"]))
        #expect(try dialect.metadata("ä.txt") == "a,b w7w=,filename w6QudHh0,filetype dGV4dC9wbGFpbg==")
    }

    @Test(arguments: ["", "a b", "a,b", "ü", "a\n"])
    func `a key that metadata cannot have is refused`(_ key: String) throws {
        let dialect = TusDialect(options: TusOptions(metadata: [key: "1"]))
        let error = #expect(throws: SessionError.self) { try dialect.metadata("a") }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `pieces grow while they are fast and shrink where they fail`() {
        var sizer = UploadPieceSizer(.adaptive)
        let mebibyte: Int64 = 1 << 20
        #expect(sizer.next(of: .max, UploadLimits()) == mebibyte)
        for _ in 0..<10 { sizer.succeeded(sizer.next(of: .max, UploadLimits()), within: .seconds(1)) }
        #expect(sizer.next(of: .max, UploadLimits()) == 64 * mebibyte)
        #expect(sizer.next(of: .max, UploadLimits(largestPiece: 5)) == 5)
        #expect(sizer.next(of: 3, UploadLimits(smallestPiece: 10)) == 3)
        sizer.succeeded(64 * mebibyte, within: .seconds(5))
        #expect(sizer.next(of: .max, UploadLimits()) == 64 * mebibyte)
        sizer.succeeded(64 * mebibyte, within: .seconds(11))
        #expect(sizer.next(of: .max, UploadLimits()) == 32 * mebibyte)
        for _ in 0..<20 { sizer.failed() }
        #expect(sizer.next(of: .max, UploadLimits()) == 256 * 1024)
        // A last piece that is small says nothing about the speed.
        sizer.succeeded(10, within: .zero)
        #expect(sizer.next(of: .max, UploadLimits()) == 256 * 1024)
        #expect(UploadPieceSizer(.whole).next(of: 1 << 40, UploadLimits()) == 1 << 40)
        #expect(UploadPieceSizer(.fixed(0)).next(of: 10, UploadLimits()) == 1)
    }
}

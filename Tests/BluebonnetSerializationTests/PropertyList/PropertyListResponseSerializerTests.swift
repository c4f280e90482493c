// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct PropertyListResponseSerializerTests {
    static let type = "application/x-plist"

    @Test(arguments: [
        Response.stub("", type: Self.type), .stub("", type: nil, status: 204),
        .stub("", type: Self.type, method: .head),
    ])
    func `1.2.5 nothing to decode is nil, not an error`(_ response: Response) throws {
        #expect(try PropertyListResponseSerializer().serialize(response) == nil)
    }

    @Test func `1.2.5 reads a list of the right type`() throws {
        let response = Response.stub(
            "<plist><array><integer>1</integer></array></plist>",
            type: "application/x-plist; charset=utf-8"
        )
        #expect(try PropertyListResponseSerializer().serialize(response) == .array([.integer(1)]))
    }

    @Test func `1.2.5 refuses other types and other statuses, the one below the other`() {
        let error = #expect(throws: SerializationError.self) {
            try PropertyListResponseSerializer().serialize(
                .stub("<plist><true/></plist>", type: "text/xml", status: 500)
            )
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.contains(.unacceptableContentType) == true)
    }

    @Test func `1.2.5 a malformed list is an error that carries the response`() {
        let error = #expect(throws: SerializationError.self) {
            try PropertyListResponseSerializer().serialize(.stub("<plist>", type: Self.type))
        }
        #expect(error?.code == .malformedBody)
        #expect(error?.response?.status == .ok)
    }
}

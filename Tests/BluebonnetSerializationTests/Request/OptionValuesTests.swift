// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Testing

/// The values that are passed to a call, made with one expression.
@Suite struct OptionValuesTests {
    @Test func `request options are made with their values`() {
        let made = RequestOptions(
            timeoutInterval: .seconds(1),
            totalTimeout: .seconds(2),
            cachePolicy: .returnCacheDataElseLoad,
            allowsCellularAccess: false,
            handlesCookies: false,
            usesPipelining: true,
            decodesContent: false,
            networkServiceType: .video
        )
        var changed = RequestOptions()
        changed.timeoutInterval = .seconds(1)
        changed.totalTimeout = .seconds(2)
        changed.cachePolicy = .returnCacheDataElseLoad
        changed.allowsCellularAccess = false
        changed.handlesCookies = false
        changed.usesPipelining = true
        changed.decodesContent = false
        changed.networkServiceType = .video
        #expect(made == changed)
    }

    @Test func `a query format is made with its values, and has the default ones without`() {
        let made = QueryFormat(
            arrays: .indexed,
            keyPaths: .dots,
            bools: .literal,
            nulls: .dropKey,
            space: .plus,
            allowedBytes: .unreserved,
            maximumDepth: 3
        )
        var changed = QueryFormat()
        changed.arrays = .indexed
        changed.keyPaths = .dots
        changed.bools = .literal
        changed.nulls = .dropKey
        changed.space = .plus
        changed.allowedBytes = .unreserved
        changed.maximumDepth = 3
        #expect(made == changed)
        let format = QueryFormat()
        #expect(format.arrays == .brackets && format.keyPaths == .brackets && format.bools == .numeric)
        #expect(format.nulls == .key && format.space == .percent && format.allowedBytes == .query)
        #expect(format.maximumDepth == 128)
    }

    @Test func `a JSON serializer is made with its values, and has the default ones without`() {
        let made = JSONRequestSerializer(isPretty: true, sortsKeys: false, allowsFragments: true, maximumDepth: 3)
        var changed = JSONRequestSerializer()
        changed.isPretty = true
        changed.sortsKeys = false
        changed.allowsFragments = true
        changed.maximumDepth = 3
        #expect(made == changed)
        let serializer = JSONRequestSerializer()
        #expect(!serializer.isPretty && serializer.sortsKeys && !serializer.allowsFragments)
        #expect(serializer.maximumDepth == 128)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetFiles

@Suite struct WritebackTests {
    @Test(arguments: [4_095, 65_536, 999_983, 8_388_607, 8_388_608, 8_388_609, 20_000_003] as [Int64])
    func `each whole interval is started once, whatever the pieces are`(_ pieceSize: Int64) {
        let total = 5 * Writeback.interval + 1
        // The first piece has another size, so that pieces of a divisor of the interval end beside its ends too.
        var (end, started): (Int64, Int64) = (0, 0)
        while end < total {
            let next = min(total, end + (end == 0 ? 7 : pieceSize))
            let due = Writeback.intervals(endingIn: end..<next)
            if !due.isEmpty {
                #expect(due.lowerBound == started)
                started = due.upperBound
            }
            end = next
        }
        #expect(started == 5 * Writeback.interval)
    }

    @Test func `the bytes are what they were, and a descriptor that is none changes nothing`() throws {
        let folder = try TestFolder()
        var file = try PartialFile(at: #require(FileLocation(path: folder.path + "/file")))
        try file.truncate(to: 0)
        file.startsWriteback = true
        let piece = [UInt8](repeating: 0x78, count: Int(Writeback.interval) / 2)
        for _ in 0..<3 { try piece.withUnsafeBytes { try file.write($0) } }
        Writeback.begin(-1, after: 0..<Writeback.interval)
        try file.commit(replacing: false, synchronizing: true)
        let content = try #require(folder.text("file"))
        #expect(content.utf8.count == 3 * piece.count && content.utf8.allSatisfy { $0 == 0x78 })
    }
}

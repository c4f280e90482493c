// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import NIOCore
import Synchronization

/// Keeps responses in memory, up to a number of bytes; the least recently used are removed first.
///
/// It keeps at most 64 variants of one URL.
public final class MemoryCacheStore: LibraryCacheStore {
    private struct Entry {
        var response: StoredResponse
        var body: ByteBuffer
        var byteCount: Int
    }

    private struct State {
        var entries = RecencyList<Entry>()
        var positions: [CacheKey: [Int]] = [:]
        var byteCount = 0
        /// The bytes of bodies that are being written.
        var begunByteCount = 0

        func position(of response: StoredResponse) -> Int? {
            self.positions[response.key]?.first { self.entries[$0]?.response.id == response.id }
        }

        mutating func remove(_ position: Int) {
            guard let entry = self.entries.remove(position) else { return }
            self.byteCount -= entry.byteCount
            let key = entry.response.key
            self.positions[key]?.removeAll { $0 == position }
            if self.positions[key]?.isEmpty == true { self.positions[key] = nil }
        }

        mutating func shrink(to maximum: Int) {
            while self.byteCount + self.begunByteCount > maximum, let position = self.entries.leastRecent {
                self.remove(position)
            }
        }
    }

    private static let largestVariantCount = 64

    /// The number of bytes that the store holds at most.
    public let maximumByteCount: Int

    private let state = Mutex(State())

    /// Creates an empty store.
    ///
    /// - Parameter maximumByteCount: The number of bytes that it holds at most, heads and bodies: 64 MiB by default.
    public init(maximumByteCount: Int = 64 * 1024 * 1024) {
        self.maximumByteCount = max(maximumByteCount, 0)
    }

    /// The number of bytes that are stored, heads and bodies, those that are being written included.
    public var byteCount: Int { self.state.withLock { $0.byteCount + $0.begunByteCount } }

    /// The number of responses that are stored.
    public var count: Int { self.state.withLock { $0.positions.values.reduce(0) { $0 + $1.count } } }

    public func responses(for key: CacheKey) async throws -> [StoredResponse] {
        self.state.withLock { state in
            guard let positions = state.positions[key] else { return [] }
            return positions.compactMap { state.entries[$0]?.response }
        }
    }

    public func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? {
        let body = self.state.withLock { state -> ByteBuffer? in
            guard let position = state.position(of: response) else { return nil }
            state.entries.use(position)
            return state.entries[position]?.body
        }
        guard let body, let range else { return body.map { ResponseBody($0) } }
        let slice = body.getSlice(at: body.readerIndex + Int(range.lowerBound), length: range.count)
        return slice.map { ResponseBody($0) }
    }

    public func makeWriter(for response: StoredResponse) async throws -> any CacheWriter {
        MemoryCacheWriter(response, self)
    }

    public func update(_ response: StoredResponse) async throws {
        self.state.withLock { state in
            guard let position = state.position(of: response), var entry = state.entries[position] else { return }
            state.byteCount -= entry.byteCount
            entry.response = response
            entry.byteCount = response.headByteCount + entry.body.readableBytes
            state.byteCount += entry.byteCount
            state.entries[position] = entry
            state.shrink(to: self.maximumByteCount)
        }
    }

    public func remove(_ response: StoredResponse) async throws {
        self.state.withLock { state in
            if let position = state.position(of: response) { state.remove(position) }
        }
    }

    public func removeAll(for key: CacheKey) async throws {
        self.state.withLock { state in
            for position in state.positions[key] ?? [] { state.remove(position) }
        }
    }

    public func removeAll() async throws {
        self.state.withLock { state in
            let begunByteCount = state.begunByteCount
            state = State()
            state.begunByteCount = begunByteCount
        }
    }

    // MARK: For the writer

    /// Makes room for bytes of a body that is being written.
    ///
    /// - Returns: Whether there is room: not where such bodies alone would take all of it.
    fileprivate func begin(_ byteCount: Int) -> Bool {
        self.state.withLock { state in
            guard state.begunByteCount + byteCount <= self.maximumByteCount else { return false }
            state.begunByteCount += byteCount
            state.shrink(to: self.maximumByteCount)
            return true
        }
    }

    /// Bytes that there was room for are not being written any more.
    fileprivate func end(_ byteCount: Int) {
        self.state.withLock { $0.begunByteCount -= byteCount }
    }

    fileprivate func insert(_ response: StoredResponse, _ body: ByteBuffer) {
        self.end(body.readableBytes)
        let byteCount = response.headByteCount + body.readableBytes
        guard byteCount <= self.maximumByteCount else { return }
        var response = response
        response.bodyByteCount = Int64(body.readableBytes)
        let variant = response.variant
        self.state.withLock { state in
            let others = (state.positions[response.key] ?? []).filter {
                state.entries[$0]?.response.variant == variant
            }
            if others.contains(where: { state.entries[$0].map { response.isWorthLess(than: $0.response) } == true }) {
                return
            }
            for position in others { state.remove(position) }
            if let excess = state.positions[response.key], excess.count >= Self.largestVariantCount {
                state.remove(excess[0])
            }
            let position = state.entries.insert(Entry(response: response, body: body, byteCount: byteCount))
            state.positions[response.key, default: []].append(position)
            state.byteCount += byteCount
            state.shrink(to: self.maximumByteCount)
        }
    }
}

/// Collects a body, and passes it to the store.
private final class MemoryCacheWriter: CacheWriter {
    private let response: StoredResponse
    private let store: MemoryCacheStore
    private let body = Mutex(ByteBuffer())

    init(_ response: StoredResponse, _ store: MemoryCacheStore) {
        self.response = response
        self.store = store
    }

    deinit { self.discard() }

    private struct NoRoom: Error {}

    func write(_ bytes: ByteBuffer) async throws {
        guard self.store.begin(bytes.readableBytes) else { throw NoRoom() }
        self.body.withLock { body in
            var bytes = bytes
            // A copy: the bytes may be a small part of a large buffer, which would stay in memory with them.
            body.writeBuffer(&bytes)
        }
    }

    func commit() async throws {
        self.store.insert(self.response, self.takeBody())
    }

    func keepPart() {
        self.store.insert(self.response, self.takeBody())
    }

    func discard() {
        self.store.end(self.takeBody().readableBytes)
    }

    private func takeBody() -> ByteBuffer {
        self.body.withLock { body in
            defer { body = ByteBuffer() }
            return body
        }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A file that is written beside its destination, and renamed to it when it is complete.
///
/// Only its owner can read it until then. If it is released before ``commit(as:replacing:synchronizing:)``, it removes
/// itself.
package struct AtomicFile: ~Copyable, Sendable {
    private let location: FileLocation
    private let temporary: TemporaryName
    private var writer: FileWriter
    private var isCommitted = false

    /// Creates the empty temporary file in the destination's directory.
    package init(at location: FileLocation) throws(SystemError) {
        let directory = try location.openDirectory()
        let (name, descriptor) = try Self.create(in: directory, for: location.name)
        self.location = location
        self.temporary = TemporaryName(directory: directory, name: name)
        self.writer = FileWriter(descriptor: descriptor)
    }

    deinit {
        if !self.isCommitted { self.temporary.remove(of: self.writer.descriptor) }
    }

    /// The number of bytes written.
    package var byteCount: Int64 { self.writer.byteCount }

    /// Appends bytes, immediately or together with later ones.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try self.writer.write(bytes)
    }

    /// Renames the file to its final name, once.
    ///
    /// It gets the permissions of the file that it replaces, or those of a new file.
    ///
    /// - Parameters:
    ///   - name: A name in the destination's directory; the destination's own unless given.
    ///   - replacing: Whether it replaces an existing file. If not, `EEXIST` is thrown and another name can be tried.
    ///   - synchronizing: Whether to wait until the file and its name are on the disk.
    ///   - isPrivate: Whether a file that replaces none remains readable by its owner only; no unless given.
    /// - Throws: ``SystemError``.
    package mutating func commit(
        as name: String? = nil,
        replacing: Bool,
        synchronizing: Bool,
        isPrivate: Bool = false
    ) throws(SystemError) {
        try self.writer.flush()
        try self.temporary.move(
            to: name ?? self.location.name,
            self.writer.descriptor,
            replacing: replacing,
            synchronizing: synchronizing,
            isPrivate: isPrivate
        )
        self.isCommitted = true
        if synchronizing { try self.temporary.synchronizeDirectory() }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FileLocation.Directory {
    /// Returns the names in the directory with a suffix, in no particular order.
    ///
    /// - Parameters:
    ///   - ending: The suffix.
    ///   - limit: The maximum number of names.
    /// - Returns: The names, without those that are not UTF-8.
    /// - Throws: ``SystemError``.
    package borrowing func names(ending: String, upTo limit: Int) throws(SystemError) -> [String] {
        // A separate descriptor, because a duplicate would share the directory's position.
        let descriptor = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, errno) }
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw SystemError(.open, code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(.read, errno) }
                return names
            }
            guard let name = Self.name(of: entry), name.utf8.count > ending.utf8.count,
                name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
            else { continue }
            names.append(name)
        }
        return names
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                String(validatingCString: $0)
            }
        }
    }
}

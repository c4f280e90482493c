// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ImageDownloader {
    /// How a downloader behaves.
    public struct Configuration: Sendable {
        /// How many pictures are downloaded at a time; 4 unless set, 1 at least.
        public var maximumActiveDownloads = 4

        /// Which of the waiting downloads of one priority comes first.
        public var order = Order.firstInFirstOut

        /// Where decoded pictures are kept; an ``ImageCache`` of 100 MiB unless set, nil for none.
        public var cache: ImageCache? = ImageCache()

        /// What turns a response into a picture.
        public var serializer = ImageResponseSerializer()

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// Which of the waiting downloads of one priority comes first.
    public enum Order: Sendable, Hashable, CaseIterable {
        /// The one that has waited for the longest time.
        case firstInFirstOut
        /// The one that was asked for last: what a person looks at now, in a list that is scrolled.
        case lastInFirstOut
    }

    /// How urgent a download is; a more urgent one always comes first.
    public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// For later: a picture that may be looked at.
        case low
        /// As usual.
        case normal
        /// Before all others.
        case high

        /// Whether one is less urgent than the other.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }
}

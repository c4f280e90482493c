// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ImageDownloader {
    /// The configuration of a downloader.
    public struct Configuration: Sendable {
        /// The maximum number of concurrent downloads; 4 unless set, at least 1.
        public var maximumConcurrentDownloads = 4

        /// The order of waiting downloads with the same priority.
        public var order = Order.firstInFirstOut

        /// The cache of decoded images; an ``ImageCache`` of 100 MiB unless set, nil for none.
        public var cache: ImageCache? = ImageCache()

        /// The serializer that converts a response to an image.
        public var serializer = ImageResponseSerializer()

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// The order of waiting downloads with the same priority.
    public enum Order: Sendable, Hashable, CaseIterable {
        /// The one that has waited longest is first.
        case firstInFirstOut
        /// The one that was requested last is first: usually the one that is visible in a scrolling list.
        case lastInFirstOut
    }

    /// The priority of a download; a higher priority always comes first.
    public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// For an image that may be needed later.
        case low
        /// The default.
        case normal
        /// Before all others.
        case high

        /// Whether one priority is lower than the other.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether the system's interfaces and routes lead to the network; the numbers are those of AFNetworking.
public enum ReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nothing is known: the monitor has not been started, the system does not allow access, or the name of the host
    /// cannot be looked up although there is a network.
    case unknown = -1
    /// No interface that is up has a route.
    case notReachable = 0
    /// A route leads through a mobile network (WWAN).
    case reachableViaWWAN = 1
    /// A route leads through a wireless or wired network, or stays on this machine.
    case reachableViaWiFi = 2

    /// Whether there is a route.
    public var isReachable: Bool { self == .reachableViaWWAN || self == .reachableViaWiFi }
}

extension ReachabilityStatus: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import Foundation
import Synchronization

extension Notification.Name {
    /// The status of a ``ReachabilityNotifier``'s monitor has changed, or has become known.
    ///
    /// The object is the notifier; the user information has ``ReachabilityNotifier/statusKey``. The name is AFNetworking's.
    public static let reachabilityDidChange = Notification.Name("com.alamofire.networking.reachability.change")
}

/// Posts the statuses of a monitor as notifications, in their order.
///
/// ```swift
/// let notifier = ReachabilityNotifier(.shared)
/// ReachabilityMonitor.shared.start()
/// ```
///
/// It posts as long as it is retained and the monitor is not stopped: the first known status, then each that differs.
///
/// Notifications are posted on the main actor. Register blocks with the queue `nil`: see ``NotificationObserver``.
public final class ReachabilityNotifier: Sendable {
    /// The key of the status in the user information: an `Int`, the raw value of a `ReachabilityStatus`.
    ///
    /// The name is AFNetworking's.
    public static let statusKey = "AFNetworkingReachabilityNotificationStatusItem"

    /// The monitor.
    public let monitor: ReachabilityMonitor

    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - monitor: The monitor, which the program starts.
    ///   - center: The notification center; the default one if not given.
    ///   - handler: Called with each status on the main actor, just before its notification is posted; nil, the
    ///     default, for none.
    public init(
        _ monitor: ReachabilityMonitor,
        center: NotificationCenter = .default,
        handler: (@MainActor @Sendable (ReachabilityStatus) -> Void)? = nil
    ) {
        self.monitor = monitor
        let statuses = monitor.statuses
        // Owned by this object, which cancels it at its end.
        let task = Task { @MainActor [weak self] in
            for await status in statuses {
                guard let self else { return }
                handler?(status)
                center.post(name: .reachabilityDidChange, object: self, userInfo: [Self.statusKey: status.rawValue])
            }
        }
        self.task.withLock { $0 = task }
    }

    deinit { self.task.withLock { $0 }?.cancel() }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFoundation
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReachabilityNotifierTests {
    @Test func `1.6 a status is handed to the handler, then posted with AFNetworking's names, by the notifier`() async {
        let center = NotificationCenter()
        let monitor = ReachabilityMonitor(.host("127.0.0.1"))
        let order = Mutex<[String]>([])
        let (posted, post) = AsyncStream.makeStream(of: Int?.self)
        let notifier = ReachabilityNotifier(monitor, center: center) { status in
            order.withLock { $0.append("handler \(status.rawValue)") }
        }
        let token = center.addObserver(
            forName: Notification.Name("com.alamofire.networking.reachability.change"),
            object: notifier,
            queue: nil
        ) { notification in
            let status = notification.userInfo?["AFNetworkingReachabilityNotificationStatusItem"] as? Int
            order.withLock { $0.append("notification \(status ?? -9)") }
            post.yield(status)
        }
        defer { center.removeObserver(token) }
        monitor.start()
        var statuses = posted.makeAsyncIterator()
        let status = await statuses.next() ?? nil
        // This machine reaches itself, unless it may not look.
        #expect(status == ReachabilityStatus.reachableViaWiFi.rawValue || status == ReachabilityStatus.unknown.rawValue)
        #expect(order.withLock { $0 } == ["handler \(status ?? -9)", "notification \(status ?? -9)"])
        #expect(notifier.monitor.status.rawValue == status)
        monitor.stop()
    }

    @Test func `a notifier that is dropped posts no more`() async {
        let center = NotificationCenter()
        let monitor = ReachabilityMonitor()
        weak var dropped: ReachabilityNotifier?
        do {
            let notifier = ReachabilityNotifier(monitor, center: center)
            dropped = notifier
        }
        #expect(dropped == nil)
    }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
public import Foundation

extension Notification.Name {
    /// A task has begun, or continues after it was suspended; see ``NotificationObserver``.
    public static let sessionTaskDidResume = Self("com.alamofire.networking.task.resume")

    /// A task was suspended; see ``NotificationObserver``.
    public static let sessionTaskDidSuspend = Self("com.alamofire.networking.task.suspend")

    /// A task has ended, and its completion functions have run; see ``NotificationObserver``.
    public static let sessionTaskDidComplete = Self("com.alamofire.networking.task.complete")

    /// A session was invalidated, and its last task has ended; see ``NotificationObserver``.
    public static let sessionDidInvalidate = Self("com.alamofire.networking.session.invalidate")

    /// The file of a download is at its destination; see ``NotificationObserver``.
    public static let downloadTaskDidMoveFileSuccessfully = Self(
        "com.alamofire.networking.session.download.file-manager-succeed"
    )

    /// The file of a download could not be moved to its destination; see ``NotificationObserver``.
    public static let downloadTaskDidFailToMoveFile = Self(
        "com.alamofire.networking.session.download.file-manager-error"
    )
}

extension NotificationObserver {
    /// The user info of the notification that a task has ended.
    static func userInfo(of completion: TaskCompletion, _ task: any AnySessionTask) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        info[UserInfoKey.serializedResponse] = completion.value.flatMap(Self.content)
        // The response of a task with a disposition may have become a file, which no serializer has made.
        info[UserInfoKey.responseSerializer] = completion.file == nil ? completion.serializer : nil
        info[UserInfoKey.error] = completion.error
        info[UserInfoKey.sessionTaskMetrics] = task.metrics
        if let file = completion.file {
            info[UserInfoKey.assetPath] = file.url
        } else if task.kind != .download {
            info[UserInfoKey.responseData] = task.response?.body
        }
        return info
    }

    /// A value, or what an optional contains; nil for an empty optional, which would be a value of the dictionary.
    private static func content(of value: Any) -> Any? {
        guard let optional = value as? any OptionalContent else { return value }
        return optional.content
    }

    /// The user info of an error, as an `NSError`.
    static func userInfo(of error: SessionError) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = (error as NSError).userInfo
        info[NSLocalizedDescriptionKey] = error.description
        info[NSUnderlyingErrorKey] = error
        return info
    }
}

/// An optional of any type.
private protocol OptionalContent {
    var content: Any? { get }
}

extension Optional: OptionalContent {
    fileprivate var content: Any? { self.map { $0 } }
}

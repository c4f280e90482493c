// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import Dispatch
import Foundation
public import FoundationEssentials

/// Posts the notifications of AFNetworking 4 for the tasks of a session, and for the session itself.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.observers = [NotificationObserver()]
/// ```
///
/// The names and the keys have AFNetworking's texts, so code that observes them continues to work. The object is the
/// task, an `AnySessionTask`, or the `Session`.
///
/// ```swift
/// _ = NotificationCenter.default.addObserver(forName: .sessionTaskDidComplete, object: nil, queue: nil) { note in
///     print(note.userInfo?[NotificationObserver.UserInfoKey.error] ?? "no error")
/// }
/// ```
///
/// Register blocks with the queue `nil`, which calls them on the queue of the post. On Linux, Foundation blocks the main
/// queue for ever if a block of `OperationQueue.main` is due there while the main thread runs no run loop, as in every
/// program with an `async` main function. A block that has to be of that queue needs an observer with another queue.
///
/// | notification | posted | user info |
/// |---|---|---|
/// | `sessionTaskDidResume`, `sessionTaskDidSuspend` | on the queue, when the state has changed | none |
/// | `sessionTaskDidComplete` | on the queue, after the completion functions | ``UserInfoKey`` |
/// | `sessionDidInvalidate` | where it happens, after the last task | none |
/// | `downloadTaskDidMoveFileSuccessfully` | where it happens, before the completion functions | none |
/// | `downloadTaskDidFailToMoveFile` | where it happens, before the completion functions | that of the error as an `NSError` |
public struct NotificationObserver: SessionObserver {
    /// The keys in the user info of `sessionTaskDidComplete`.
    public enum UserInfoKey {
        /// The value of the task; missing without one, and for an optional that is nil.
        public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
        /// The serializer that made the value from the response, an `any ResponseSerializer`; missing for a download,
        /// and if the response has become a file.
        public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
        /// The body of the response as `Data`; missing for a download, or without a response.
        public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
        /// The error, a `SessionError` or `CancellationError`; missing without one.
        public static let error = "com.alamofire.networking.task.complete.error"
        /// The file of a download as a `URL`; missing without one.
        public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
        /// The metrics of the last exchange, an `ExchangeMetrics`; missing without an exchange, as for a stored response.
        public static let sessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    }

    private let center: NotificationCenter
    private let queue: DispatchQueue  // Observers of a NotificationCenter expect a queue.

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - center: The notification center.
    ///   - queue: The queue on which those of tasks are posted: by default the main queue, as in AFNetworking. A
    ///     program without a main loop gives its own queue.
    public init(
        center: NotificationCenter = .default,
        queue: DispatchQueue = .main  // Observers of a NotificationCenter expect a queue.
    ) {
        self.center = center
        self.queue = queue
    }

    /// Does nothing: there are no notifications of calls.
    public func observe(_ event: CallEvent, of call: Call) {}

    public func observe(_ event: TaskEvent, of task: any AnySessionTask) {
        switch event {
        case .resumed: self.postLater(.sessionTaskDidResume, task)
        case .suspended: self.postLater(.sessionTaskDidSuspend, task)
        case .completed(let completion): self.postLater(.sessionTaskDidComplete, task, completion)
        case .fileSaved: self.center.post(name: .downloadTaskDidMoveFileSuccessfully, object: task)
        case .fileNotSaved(let error):
            self.center.post(name: .downloadTaskDidFailToMoveFile, object: task, userInfo: Self.userInfo(of: error))
        }
    }

    public func observe(_ event: SessionEvent, of session: Session) {
        guard case .invalidated = event else { return }
        self.center.post(name: .sessionDidInvalidate, object: session)
    }

    private func postLater(
        _ name: Notification.Name,
        _ task: any AnySessionTask,
        _ completion: TaskCompletion? = nil
    ) {
        self.queue.async {
            self.center.post(name: name, object: task, userInfo: completion.map { Self.userInfo(of: $0, task) })
        }
    }
}

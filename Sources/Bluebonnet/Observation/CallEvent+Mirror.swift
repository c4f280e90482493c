// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension CallEvent {
    /// What a case holds; of header fields only their number, because their values may be secret.
    public var customMirror: Mirror {
        let value: Any? =
            switch self {
            case .responseReceived(let status, let headers, let metrics):
                (status, "\(headers.count) header fields", metrics)
            case .exchangeStarted(let request), .redirected(let request): request
            case .exchangeFailed(let error), .decodingFailed(let error), .callFailed(let error): error
            case .transport(let event): event
            case .authentication(let event): event
            case .exchangeShared(let id): id
            case .cacheAnswered(let status, let cacheStatus): (status, cacheStatus)
            case .retryScheduled(let attempt): attempt
            case .retryRefused(let refusal): refusal
            case .responseBodyEnded(let byteCount, let metrics): (byteCount: byteCount, metrics)
            case .download(let event): event
            case .upload(let event): event
            case .callStarted, .queueStarted, .queueEnded, .hedged, .decodingStarted, .decodingEnded, .callEnded,
                .callCancelled:
                nil
            }
        return Mirror(self, unlabeledChildren: value.map { [$0] } ?? [], displayStyle: .enum)
    }
}

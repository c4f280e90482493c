// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session.Configuration {
    /// Whether the stage that retries is among the session's.
    ///
    /// An interceptor may give a request a policy, so it is there below interceptors, too. A session with neither adds it to those calls whose
    /// requests have a policy.
    var hasRetryStage: Bool { !self.retries.isNone || !self.interceptors.isEmpty }
}

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session.Configuration {
    /// Whether the retry stage is among the session's stages.
    ///
    /// An interceptor may set the policy of a request, so interceptors require the stage, too. A session with neither
    /// adds it to calls whose requests have a policy.
    var hasRetryStage: Bool { !self.retries.isNone || !self.interceptors.isEmpty }
}

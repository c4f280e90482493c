// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

extension DownloadCommandOptions {
    /// The policy for saving the file.
    ///
    /// - Throws: `CommandFailure` if options contradict each other, or the digest is invalid.
    var policy: DownloadPolicy {
        get throws(CommandFailure) {
            var policy = DownloadPolicy()
            if self.resumes {
                guard self.isDownload, self.output != nil else {
                    throw .usage("--continue needs the name of the file to go on with: add --download --output FILE")
                }
                policy.resume = .always
            }
            if let digest {
                guard self.isDownload else { throw .usage("--sha256 belongs to --download: add --download") }
                do throws(SessionError) {
                    policy.digest = try ContentDigest(.sha256, hexadecimal: digest)
                } catch {
                    throw .usage("--sha256 takes the digest of the file: \(error.reason)")
                }
            }
            return policy
        }
    }
}

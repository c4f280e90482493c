// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import X509

/// The subject of a certificate and its key: certificates that agree in both can take each other's place in a path.
struct CertificateOwner: Hashable {
    let subject: DistinguishedName
    let key: Certificate.PublicKey

    init(_ certificate: Certificate) {
        self.subject = certificate.subject
        self.key = certificate.publicKey
    }
}

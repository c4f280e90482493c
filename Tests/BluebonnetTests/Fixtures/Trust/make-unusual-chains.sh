#!/bin/sh
# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
# Usage: make-unusual-chains.sh FOLDER
#
# Makes a root, the same root when it had another end, and certificates below it that few authorities issue.
set -eu
cd "$1"

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }

# name, issuer, extensions, further options: signs the key of that name.
sign() {
    certificate=$1 issuer=$2
    printf '%b' "$3" > extensions
    shift 3
    openssl req -new -key "$certificate.key" -subj "/CN=Bluebonnet $certificate" -out request.csr
    openssl x509 -req -in request.csr -CA "$issuer.pem" -CAkey "$issuer.key" -CAcreateserial -days 365 \
        -extfile extensions -out "$certificate.pem" "$@"
}

authority="basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
server="basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:localhost\n"

# A root that has expired, and the one that replaces it: the same name and key.
printf '%b' "$authority" > extensions
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out root.key
openssl req -new -key root.key -subj "/CN=Bluebonnet root" -out request.csr
openssl x509 -req -in request.csr -signkey root.key -days 3650 -extfile extensions -out root.pem
openssl x509 -req -in request.csr -signkey root.key -days -1 -extfile extensions -out root-expired.pem

key leaf
sign leaf root "$server"
key policies-middle
sign policies-middle root "${authority}certificatePolicies=critical,1.2.3.4\ninhibitAnyPolicy=critical,0\n"
key policies
sign policies policies-middle "${server}certificatePolicies=critical,1.2.3.4\n"
key unknown
sign unknown root "${server}1.2.3.4.5=critical,DER:0500\n"
key unknown-middle
sign unknown-middle root "${authority}1.2.3.4.5=critical,DER:0500\n"
key below-unknown
sign below-unknown unknown-middle "$server"
key pss
sign pss root "$server" -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32
key md5
sign md5 root "$server" -md5
issuer=root
for number in 1 2 3 4 5 6 7 8 9; do
    key "deep-$number"
    sign "deep-$number" "$issuer" "$authority"
    issuer="deep-$number"
done
key deep
sign deep deep-9 "$server"

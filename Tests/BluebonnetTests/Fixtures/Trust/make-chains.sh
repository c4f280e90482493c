#!/bin/sh
# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
# Usage: make-chains.sh FOLDER
#
# Makes two roots, an authority in the middle that both have signed, and certificates of servers, with their keys.
set -eu
cd "$1"

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }

root() { # name
    key "$1"
    openssl req -x509 -new -key "$1.key" -out "$1.pem" -days 3650 -subj "/CN=Bluebonnet $1" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

sign() { # request, issuer, result, extensions, days
    printf '%b' "$4" > extensions
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days "$5" -extfile extensions -out "$3.pem"
}

request() { # name
    openssl req -new -key "$1.key" -subj "/CN=Bluebonnet $1" -out "$1.csr"
}

server() { # name, alternative names, days
    key "$1"
    request "$1"
    sign "$1" middle "$1" "basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=$2\n" "$3"
}

root root
root other
key middle
request middle
authority="basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign\n"
sign middle root middle "$authority" 365
sign middle other middle-other "$authority" 365

server leaf DNS:localhost,IP:127.0.0.1 90
server backup DNS:localhost 90
server expired DNS:localhost -1
server wrong-host DNS:elsewhere.test 90
server wildcard 'DNS:*.example.test' 90
server address IP:127.0.0.1 90

key self-signed
openssl req -x509 -new -key self-signed.key -out self-signed.pem -days 90 -subj "/CN=localhost" \
    -addext subjectAltName=DNS:localhost
# Nine authorities of one name and key, each of which could have signed every other one, and a server below them.
key maze-1
for number in 1 2 3 4 5 6 7 8 9; do
    openssl req -x509 -new -key maze-1.key -out "maze-$number.pem" -days 90 -subj "/CN=A" \
        -addext "subjectAltName=DNS:$number.test"
done
key maze
request maze
sign maze maze-1 maze "basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost\n" 90
for name in root other middle leaf backup wildcard; do
    openssl pkey -in "$name.key" -pubout -outform der | openssl dgst -sha256 -binary | openssl base64 -A > "$name.pin"
done

// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes

/// An event in the life of a call.
///
/// Events are nested. Each group that begins also ends, unless the call ends inside it:
///
/// ```text
/// callStarted
///   queueStarted … queueEnded                only where the call has to wait for maximumConcurrentRequests
///   exchangeStarted, or exchangeShared       for each attempt and each hop; see ``Call/attempt`` and ``Call/hop``
///     transport …                            the events of the transport, of those transports that tell any
///   responseReceived, or exchangeFailed      the head of the response has arrived; neither for the slower one of two
///                                            hedged attempts, which is cancelled
///   cacheAnswered                            only where the cache delivers a response that is not that of an exchange
///   authentication …                         only where a challenge or a token is involved; see ``AuthenticationEvent``
///   redirected                               only where the response is a redirect that is followed; another exchange comes
///   hedged                                   only where a second attempt begins beside the first, before the end of its exchange
///   retryScheduled                           only where another attempt follows; retryRefused where none can
///   download …                               only where the response is saved as a file; see ``DownloadEvent``
///   upload …                                 only in the call of a resumable upload; see ``UploadEvent``
///   responseBodyEnded                        only where the body is read to its end
///   decodingStarted … decodingEnded          only where the response becomes a value
///                 or decodingFailed
/// callEnded, callFailed or callCancelled     always, and the last
/// ```
///
/// A ``ResumableUpload`` is a call without exchanges: each of its requests is a separate call during that call.
/// Repeated requests are reported in the call of the upload, by `retryScheduled` and `retryRefused`.
///
/// Events of the transport about the response's body may come after `responseReceived`. One that happens on another thread
/// while the call ends may still come after the call's last event; so may the end of an exchange that several calls share,
/// `responseReceived` or `exchangeFailed`. Cases may be added in any version: a `switch` needs
/// a `default`.
public enum CallEvent: Sendable, CustomReflectable {
    /// A call was made.
    case callStarted
    /// The call waits until the session has fewer calls under way.
    case queueStarted
    /// The call has a place now.
    case queueEnded
    /// A request is passed to the transport, complete except for the fields that frame its body.
    case exchangeStarted(Request)
    /// An event of the transport.
    case transport(TransportEvent)
    /// The head of a response has arrived.
    ///
    /// Of a response that is collected it is told once the whole has arrived, or its body has failed: the call then fails,
    /// or repeats the attempt, as it does where the body of a stream fails.
    case responseReceived(HTTPResponse.Status, HTTPFields, ExchangeMetrics)
    /// The exchange failed before the head of its response had arrived.
    case exchangeFailed(SessionError)
    /// The cache delivers a response of its own, with this status: a stored one without an exchange, after a 304 or an
    /// error, or one that is completed by a 206; or its 504 for `only-if-cached`.
    case cacheAnswered(HTTPResponse.Status, CacheStatus)
    /// A server or a proxy requires authentication, or the call waits for a token.
    case authentication(AuthenticationEvent)
    /// A redirect is followed, with this request; it is the next hop.
    case redirected(Request)
    /// The response of another call's exchange is used, instead of a separate exchange; `responseReceived` follows. See
    /// ``DeduplicationPolicy``.
    case exchangeShared(with: Call.ID)
    /// The attempt failed, and another one follows after the given time; see ``RetryPolicy``.
    case retryScheduled(FailedAttempt)
    /// The attempt failed, and a limit prevents another one, though it might help.
    case retryRefused(RetryRefusal)
    /// A second attempt begins in parallel with one that has no response yet; see ``RetryPolicy/hedgingDelay``.
    case hedged
    /// The body of the response has been read to its end; the number of bytes after decoding, and the metrics of the
    /// whole exchange.
    case responseBodyEnded(byteCount: Int64, ExchangeMetrics)
    /// The response is being converted into a value.
    case decodingStarted
    /// The value is complete.
    case decodingEnded
    /// The response was refused, or could not be converted into a value.
    case decodingFailed(SessionError)
    /// An event of a download's file.
    case download(DownloadEvent)
    /// An event of a resumable upload.
    case upload(UploadEvent)
    /// The call was successful.
    case callEnded
    /// The call failed.
    case callFailed(SessionError)
    /// The call was cancelled, or its response was dropped before its end.
    case callCancelled
}

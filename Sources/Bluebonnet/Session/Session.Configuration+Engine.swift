// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

extension Session.Configuration {
    /// Server trust and client identity; see `TLSOptions`.
    ///
    /// Setting it gives the session an engine of its own.
    public var tls: TLSOptions {
        get { self.engineOrDefault.tls }
        set { self.engineOrDefault.tls = newValue }
    }

    /// How many connections are kept, and for how long.
    ///
    /// Setting it gives the session an engine of its own.
    public var pool: NIOTransport.PoolOptions {
        get { self.engineOrDefault.pool }
        set { self.engineOrDefault.pool = newValue }
    }

    /// The HTTP versions that are used.
    ///
    /// Setting it gives the session an engine of its own.
    public var httpVersions: NIOTransport.HTTPVersions {
        get { self.engineOrDefault.httpVersions }
        set { self.engineOrDefault.httpVersions = newValue }
    }

    /// The options of HTTP/2.
    ///
    /// Setting it gives the session an engine of its own.
    public var http2: NIOTransport.HTTP2Options {
        get { self.engineOrDefault.http2 }
        set { self.engineOrDefault.http2 = newValue }
    }

    /// Resolves the addresses of hosts.
    ///
    /// Setting it gives the session an engine of its own.
    public var resolver: any NameResolver {
        get { self.engineOrDefault.resolver }
        set { self.engineOrDefault.resolver = newValue }
    }

    /// The IP addresses that requests may be sent to; see `AddressPolicy`.
    ///
    /// Setting it gives the session an engine of its own.
    public var addressPolicy: AddressPolicy {
        get { self.engineOrDefault.addressPolicy }
        set { self.engineOrDefault.addressPolicy = newValue }
    }

    /// How sockets are opened.
    ///
    /// Setting it gives the session an engine of its own.
    public var socket: SocketOptions {
        get { self.engineOrDefault.socket }
        set { self.engineOrDefault.socket = newValue }
    }

    /// Observes every exchange of the engine.
    ///
    /// Setting it gives the session an engine of its own.
    public var transportObserver: (any TransportObserver)? {
        get { self.engineOrDefault.observer }
        set { self.engineOrDefault.observer = newValue }
    }

    /// The proxy of every request without its own; nil, the default, for the transport's choice.
    ///
    /// The engine uses the environment's proxy unless it is configured otherwise, see `ProxyConfiguration.environment`.
    public var proxy: ProxyConfiguration? {
        get { self.transportOptions.proxy }
        set { self.transportOptions.proxy = newValue }
    }

    /// The path of a Unix socket that every request is sent to, whatever the host of its URL; nil, the default, for the
    /// transport's choice.
    public var unixSocketPath: String? {
        get { self.transportOptions.unixSocketPath }
        set { self.transportOptions.unixSocketPath = newValue }
    }

    private var engineOrDefault: NIOTransport.Configuration {
        get { self.engine ?? NIOTransport.Configuration() }
        set { self.engine = newValue }
    }
}

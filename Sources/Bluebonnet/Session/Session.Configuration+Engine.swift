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

    /// Which versions of HTTP are spoken.
    ///
    /// Setting it gives the session an engine of its own.
    public var httpVersions: NIOTransport.HTTPVersions {
        get { self.engineOrDefault.httpVersions }
        set { self.engineOrDefault.httpVersions = newValue }
    }

    /// How HTTP/2 is spoken.
    ///
    /// Setting it gives the session an engine of its own.
    public var http2: NIOTransport.HTTP2Options {
        get { self.engineOrDefault.http2 }
        set { self.engineOrDefault.http2 = newValue }
    }

    /// What looks up the addresses of hosts.
    ///
    /// Setting it gives the session an engine of its own.
    public var resolver: any NameResolver {
        get { self.engineOrDefault.resolver }
        set { self.engineOrDefault.resolver = newValue }
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

    /// The proxy of every request that has none of its own; nil, the default, for the transport's choice.
    ///
    /// The engine follows the environment unless it was told otherwise, see `ProxyConfiguration.environment`.
    public var proxy: ProxyConfiguration? {
        get { self.transportOptions.proxy }
        set { self.transportOptions.proxy = newValue }
    }

    /// The path of a Unix socket that every request goes to, whatever the host of its URL is; nil, the default, for the transport's choice.
    public var unixSocketPath: String? {
        get { self.transportOptions.unixSocketPath }
        set { self.transportOptions.unixSocketPath = newValue }
    }

    private var engineOrDefault: NIOTransport.Configuration {
        get { self.engine ?? NIOTransport.Configuration() }
        set { self.engine = newValue }
    }
}

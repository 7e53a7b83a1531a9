public import CabinetServer
public import Foundation

extension HTTPListener {
    /// The addresses, limits and threads of a listener.
    public struct Configuration: Sendable {
        /// The addresses to listen at.
        public var addresses: [HTTPAddress]
        /// The certificate and its key, or `nil` for connections without TLS.
        public var tls: TLS?
        /// The limits for its clients.
        public var limits: HTTPLimits
        /// The number of threads that read and write, and run requests until they wait.
        public var threads: Int
        /// A function that is called after each request, on a thread of the listener; it must not block.
        public var log: (@Sendable (HTTPAccess) -> Void)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - addresses: The addresses to listen at.
        ///   - tls: The certificate and its key, or `nil` for connections without TLS.
        ///   - limits: The limits for its clients.
        ///   - threads: The number of threads, at least one; by default that of the processors.
        ///   - log: A function that is called after each request; it must not block.
        public init(
            addresses: [HTTPAddress], tls: TLS? = nil, limits: HTTPLimits = HTTPLimits(),
            threads: Int = ProcessInfo.processInfo.activeProcessorCount,
            log: (@Sendable (HTTPAccess) -> Void)? = nil
        ) {
            self.addresses = addresses
            self.tls = tls
            self.limits = limits
            self.threads = threads
            self.log = log
        }
    }

    /// The files of a certificate for TLS 1.2 and 1.3, which ``HTTPListener/reload()`` reads again.
    public struct TLS: Sendable {
        /// The certificate and those that sign it, in PEM.
        public var certificate: URL
        /// The private key, in PEM, without a password.
        public var key: URL

        /// Creates a pair of files.
        ///
        /// - Parameters:
        ///   - certificate: The certificate and those that sign it, in PEM.
        ///   - key: The private key, in PEM, without a password.
        public init(certificate: URL, key: URL) {
            self.certificate = certificate
            self.key = key
        }
    }
}

/// A request that has ended, for a log.
public struct HTTPAccess: Sendable {
    /// The method; `nil` if the head was refused.
    public let method: HTTPRequest.Method?
    /// The path of the target, without the query, which may contain secrets.
    public let path: String
    /// The status that was sent; `nil` if the connection ended before.
    public let status: HTTPResponse.Status?
    /// The number of bytes of the request's body that arrived.
    public let bytesReceived: Int64
    /// The number of bytes of the response's body; of a stream, those that were taken.
    public let bytesSent: Int64
    /// The time from the request's first line to the end of its response.
    public let duration: Duration
    /// The address of the client; `nil` on a Unix socket.
    public let remoteAddress: String?
    /// The error that the handler threw, or that ended the stream of its response.
    public let error: (any Error)?
}

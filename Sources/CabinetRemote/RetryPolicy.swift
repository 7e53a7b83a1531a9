import Cabinet
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delays between the attempts of a request: exponential, with jitter, for a limited time.
struct RetryPolicy {
    private let end: ContinuousClock.Instant
    private var delay = 0.1

    /// The longest delay that the policy chooses itself, in seconds.
    private static let longestDelay = 5.0

    init(limit: Duration) {
        end = .now + limit
    }

    /// Returns the delay before the next attempt, or `nil` if there is no time for it.
    ///
    /// - Parameter minimum: The seconds that the server asks to wait.
    mutating func nextDelay(atLeast minimum: Double?) -> Duration? {
        // Clients that a restart has interrupted together come back one after the other.
        // A server can send NaN.
        let wait = minimum.map { $0 > 0 ? min($0, 86_400) : 0 } ?? 0
        let seconds = Double.random(in: delay / 2...delay) + wait
        delay = min(delay * 2, Self.longestDelay)
        return .now + .seconds(seconds) < end ? .seconds(seconds) : nil
    }
}

/// The failure of an attempt, and whether another one is harmless.
struct RemoteFailure: Error {
    let error: CabinetError
    let permitsRetry: Bool

    private init(_ error: CabinetError, permitsRetry: Bool) {
        (self.error, self.permitsRetry) = (error, permitsRetry)
    }

    /// Creates the failure of a response; `nil` if it succeeded.
    ///
    /// - Parameter error: The error that the body has; `nil` if it has none in the dialect of the server.
    init?(_ response: ServerResponse, _ error: CabinetError?, isRepeatable: Bool) {
        if 200..<300 ~= response.status { return nil }
        let wait = response.head.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
        if let error {
            // A server that refuses a request for now has not carried it out.
            let isForNow =
                error.code == .requestRateLimited || error.code == .serviceUnavailable && error.retryAfterSeconds != nil
            self.init(error, permitsRetry: isForNow || error.code == .serverResponseLost && isRepeatable)
            return
        }
        let status = response.status
        let message = "The server answered with the status \(status), and not in the dialect of the request."
        switch status {
        case 429:
            self.init(CabinetError(.requestRateLimited, message, retryAfterSeconds: wait), permitsRetry: true)
        case 502, 503, 504:
            // A proxy answers so if its server is away, and perhaps after the server got the request.
            self.init(
                isRepeatable
                    ? CabinetError(.serviceUnavailable, message, retryAfterSeconds: wait) : Self.lost(message),
                permitsRetry: isRepeatable)
        case 500...:
            self.init(isRepeatable ? CabinetError(.internalError, message) : Self.lost(message), permitsRetry: false)
        case 401: self.init(CabinetError(.notAuthenticated, message), permitsRetry: false)
        case 413: self.init(CabinetError(.limitExceeded, message), permitsRetry: false)
        default:
            self.init(
                CabinetError(.internalError, "\(message) Is its address that of such a server?"),
                permitsRetry: false)
        }
    }

    /// Creates the failure of a connection.
    init(_ error: any Error, isRepeatable: Bool) {
        if let error = error as? CabinetError {
            self.init(error, permitsRetry: false)
            return
        }
        let code = (error as? URLError)?.code
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
            self.init(
                CabinetError(.networkUnavailable, "The server cannot be reached.", underlyingError: error),
                permitsRetry: true)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
            self.init(
                CabinetError(.networkFailure, "The server's certificate is not trusted.", underlyingError: error),
                permitsRetry: false)
        default:
            let message = "The connection to the server broke."
            self.init(
                isRepeatable
                    ? CabinetError(.networkFailure, message, underlyingError: error) : Self.lost(message, error),
                permitsRetry: isRepeatable)
        }
    }

    private static func lost(_ message: String, _ cause: (any Error)? = nil) -> CabinetError {
        CabinetError(
            .serverResponseLost, "\(message) The request may have been carried out: read before you send it again.",
            underlyingError: cause)
    }
}

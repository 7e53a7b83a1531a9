import Cabinet
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The failure of an attempt, and whether another one is harmless.
struct RemoteFailure {
    let error: CabinetError
    let permitsRetry: Bool
    /// Whether the server may have carried out a request that changes something.
    let mayBeDone: Bool

    private init(_ error: CabinetError, permitsRetry: Bool, mayBeDone: Bool = false) {
        self.error = error
        self.permitsRetry = permitsRetry
        self.mayBeDone = mayBeDone
    }

    /// Creates the failure of an attempt that the server may have carried out.
    ///
    /// - Parameter permitsRetry: Whether to try again, if a repetition is harmless.
    private init(unknown error: CabinetError, _ effect: RequestEffect, permitsRetry: Bool = true) {
        self.init(error, permitsRetry: permitsRetry && effect != .once, mayBeDone: effect != .none)
    }

    /// Creates the failure of a response; `nil` if it succeeded.
    ///
    /// - Parameter error: The error that the body has; `nil` if it has none in the dialect of the server.
    init?(_ response: RemoteResponse, _ error: CabinetError?, _ effect: RequestEffect) {
        if response.isSuccess { return nil }
        if let error {
            // A server that refuses a request for now has not carried it out.
            let isForNow =
                error.code == .requestRateLimited || error.code == .serviceUnavailable && error.retryAfterSeconds != nil
            if error.code == .serverResponseLost {
                self.init(unknown: error, effect)
            } else {
                self.init(error, permitsRetry: isForNow)
            }
            return
        }
        let status = response.status
        let message = "The server answered with the status \(status), and not in the dialect of the request."
        switch status {
        case 429:
            self.init(
                CabinetError(.requestRateLimited, message, retryAfterSeconds: response.retryAfter), permitsRetry: true)
        case 408:
            // The request has not arrived whole in the server's time, so that it has not begun.
            self.init(CabinetError(.networkFailure, message), permitsRetry: true)
        case 502, 503, 504:
            // A proxy answers so if its server is away, and perhaps after the server got the request.
            self.init(
                unknown: CabinetError(.serviceUnavailable, message, retryAfterSeconds: response.retryAfter), effect)
        case 500...: self.init(unknown: CabinetError(.internalError, message), effect, permitsRetry: false)
        case 401: self.init(CabinetError(.notAuthenticated, message), permitsRetry: false)
        case 413: self.init(CabinetError(.limitExceeded, message), permitsRetry: false)
        default:
            // It may be the page of a network that answers for the server.
            self.init(
                unknown: CabinetError(.internalError, "\(message) Is its address that of such a server?"), effect,
                permitsRetry: false)
        }
    }

    /// Creates the failure of a connection, or of a response that was not read to its end.
    ///
    /// - Parameter url: The address of the request.
    init(_ error: any Error, _ effect: RequestEffect, of url: URL?) {
        let server = Self.server(of: url)
        func sentence(_ text: String) -> String {
            let reason = (error as? URLError)?.userInfo[NSLocalizedDescriptionKey] as? String
            return reason.map { "\(text): \($0.hasSuffix(".") ? String($0.dropLast()) : $0)." } ?? "\(text)."
        }
        switch (error, (error as? URLError)?.code) {
        case (let error as CabinetError, _): self.init(error, permitsRetry: false)
        case (RemoteResponse.Refusal.contentType(let type), _):
            let found = type.isEmpty ? "without a content type" : "with the content type '\(type)'"
            let message = "The server answered \(found), and not in Cabinet's dialect."
            self.init(
                unknown: CabinetError(.internalError, "\(message) Is its address that of a Cabinet server?"), effect,
                permitsRetry: false)
        case (RemoteResponse.Refusal.size(let limit), _):
            let message = "The server's answer has more than \(limit) bytes."
            self.init(
                unknown: CabinetError(
                    .limitExceeded,
                    "\(message) Ask for fewer records, or raise RemoteConfiguration.maximumResponseSize."),
                effect, permitsRetry: false)
        case (_, .cannotConnectToHost), (_, .cannotFindHost), (_, .dnsLookupFailed), (_, .notConnectedToInternet):
            self.init(
                CabinetError(
                    .networkUnavailable, sentence("The \(server) cannot be reached"), underlyingError: error),
                permitsRetry: true)
        case (_, .serverCertificateUntrusted), (_, .serverCertificateHasBadDate),
            (_, .serverCertificateHasUnknownRoot), (_, .serverCertificateNotYetValid),
            (_, .clientCertificateRejected), (_, .clientCertificateRequired):
            self.init(
                CabinetError(
                    .networkFailure, sentence("The certificate of the \(server) is not trusted"),
                    underlyingError: error),
                permitsRetry: false)
        default:
            self.init(
                unknown: CabinetError(
                    .networkFailure, sentence("The connection to the \(server) broke"), underlyingError: error),
                effect)
        }
    }

    /// Returns the server of an address by its host and port, without the credentials that the address may have.
    private static func server(of url: URL?) -> String {
        guard let url, let host = url.host else { return "server" }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        return "server \(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The end of the message of an error whose request the server may have carried out.
    static let uncertainty = "The request may have been carried out: read before you send it again."

    /// The error of the last attempt, if the server may have carried out the request in this one or in an earlier one.
    ///
    /// A repetition that reached the store has learned what happened.
    var afterLostResponse: CabinetError {
        let codes: Set<CabinetError.Code> = [
            .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .notAuthenticated,
            .internalError, .limitExceeded, .serverResponseLost,
        ]
        guard mayBeDone || codes.contains(error.code) else { return error }
        return CabinetError(
            .serverResponseLost, "\(error.message) \(Self.uncertainty)", underlyingError: error.underlyingError)
    }
}

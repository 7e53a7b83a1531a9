/// An error with the status of the response that reports it.
///
/// A handler that throws it is answered with ``status``, and with ``message`` as plain text. Any other error is a `500` without a text.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the response.
    public let status: HTTPResponse.Status
    /// The reason, for the author of the request.
    public let message: String
    /// The methods that the path has, of an error with the status 405.
    private(set) var allowedMethods: [HTTPRequest.Method] = []

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - message: The reason, for the author of the request.
    public init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the error of a path that has other methods, which the response names in `Allow`.
    public static func methodNotAllowed(_ allowed: HTTPRequest.Method...) -> HTTPError {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var error = HTTPError(.methodNotAllowed, "The path is for \(names) alone.")
        error.allowedMethods = allowed
        return error
    }

    /// The status and the message.
    public var description: String { "\(status): \(message)" }
}

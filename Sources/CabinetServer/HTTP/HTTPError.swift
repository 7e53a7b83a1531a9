/// An error with the status of the response that reports it.
///
/// A handler that throws it is answered with ``status``, and with ``message`` as plain text. Any other error is a `500` without a text.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the response.
    public let status: HTTPResponse.Status
    /// The reason, for the author of the request.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - message: The reason, for the author of the request.
    public init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The status and the message.
    public var description: String { "\(status): \(message)" }
}

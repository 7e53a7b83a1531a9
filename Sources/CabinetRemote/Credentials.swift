/// The proof of a user's identity to a server.
public struct Credentials: Sendable {
    /// The record name of the user; `nil` for a client that reads the public database alone.
    public let userRecordName: String?

    let token: (@Sendable () async throws -> String)?

    /// The credentials of a client without a user, which reads the public database alone.
    public static let anonymous = Credentials(userRecordName: nil, token: nil)

    /// Creates the credentials of a user with a token.
    ///
    /// - Parameters:
    ///   - token: The token, as `cabinet users sign-in` prints it, or that of an identity provider.
    ///   - userRecordName: The record name of the user, as `cabinet users add` prints it. The server refuses a token of another user.
    /// - Returns: The credentials.
    public static func bearer(_ token: String, userRecordName: String) -> Credentials {
        Credentials(userRecordName: userRecordName) { token }
    }

    /// Creates the credentials of a user with tokens that expire.
    ///
    /// - Parameters:
    ///   - userRecordName: The record name of the user.
    ///   - token: Returns the current token. It is called for each request, so it remembers a token until that expires.
    /// - Returns: The credentials.
    public static func bearer(
        userRecordName: String, token: @escaping @Sendable () async throws -> String
    ) -> Credentials {
        Credentials(userRecordName: userRecordName, token: token)
    }
}

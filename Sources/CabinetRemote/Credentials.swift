import Cabinet

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
    ///   - token: The token, as `cabinet users sign-in` prints it, or that of an identity provider. A request fails with
    ///     ``/Cabinet/CabinetError/Code/invalidArguments`` if it is empty, or has spaces, line breaks or characters outside of ASCII.
    ///   - userRecordName: The record name of the user, as `cabinet users add` prints it. The server refuses a token of another user.
    /// - Returns: The credentials.
    public static func bearer(_ token: String, userRecordName: String) -> Credentials {
        Credentials(userRecordName: userRecordName) { token }
    }

    /// Creates the credentials of a user with tokens that expire.
    ///
    /// - Parameters:
    ///   - userRecordName: The record name of the user.
    ///   - token: Returns the current token. It is called for each request, so it remembers a token until that expires. The same
    ///     characters are allowed.
    /// - Returns: The credentials.
    public static func bearer(
        userRecordName: String, token: @escaping @Sendable () async throws -> String
    ) -> Credentials {
        Credentials(userRecordName: userRecordName, token: token)
    }

    /// Returns a token that a request can have.
    ///
    /// Foundation drops a field with a line break, and the server would find no credentials.
    static func checked(_ token: String) throws(CabinetError) -> String {
        guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw CabinetError(
                .invalidArguments,
                "The token is empty, or has spaces, line breaks or other characters that no token has. Pass it as it was issued."
            )
        }
        return token
    }
}

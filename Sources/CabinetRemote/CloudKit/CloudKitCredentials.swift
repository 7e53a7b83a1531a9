import Cabinet

/// The proof of an identity to a server of CloudKit Web Services.
public struct CloudKitCredentials: Sendable {
    enum Kind: Sendable {
        case serverKey(ServerKeySigner)
        case webToken(apiToken: String, String?, onReplacement: @Sendable (String) async -> Void)
    }

    let kind: Kind

    /// The record name of the user, if it is known.
    public let userRecordName: String?

    /// Creates the credentials of a server, which reaches the public database.
    ///
    /// - Parameters:
    ///   - keyID: The ID of the key, as CloudKit Console or `cabinet keys add` prints it.
    ///   - privateKey: The private key of ECDSA on P-256 in PEM, without a password, as `openssl ecparam -name prime256v1 -genkey`
    ///     writes it.
    /// - Returns: The credentials.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the text is not such a key.
    public static func serverKey(_ keyID: String, privateKey: String) throws -> CloudKitCredentials {
        CloudKitCredentials(kind: .serverKey(try ServerKeySigner(keyID: keyID, pem: privateKey)), userRecordName: nil)
    }

    /// Creates the credentials of a user who has signed in with a browser.
    ///
    /// Each response of the server has the token for the next request. A program that ends stores the latest one.
    ///
    /// - Parameters:
    ///   - webToken: The user's web token; `nil` for a client without a user, which reads the public database alone.
    ///   - apiToken: The API token of the program, as CloudKit Console or `cabinet tokens add` prints it.
    ///   - userRecordName: The record name of the user, as ``CloudKitDatabaseService/currentUserRecordName()`` returns it; `nil` if it is
    ///     not known yet.
    ///   - onReplacement: A function that gets each new web token; it must not block.
    /// - Returns: The credentials.
    public static func webToken(
        _ webToken: String?, apiToken: String, userRecordName: String? = nil,
        onReplacement: @escaping @Sendable (String) -> Void = { _ in }
    ) -> CloudKitCredentials {
        CloudKitCredentials(
            kind: .webToken(apiToken: apiToken, webToken, onReplacement: onReplacement), userRecordName: userRecordName)
    }
}

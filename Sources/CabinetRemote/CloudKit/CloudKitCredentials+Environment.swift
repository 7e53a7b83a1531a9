import Cabinet
package import CabinetWire
public import Foundation
import Synchronization

extension CloudKitCredentials {
    /// Reads the credentials of a program from its environment.
    ///
    /// | Variable | Value |
    /// |---|---|
    /// | `CABINET_CREDENTIALS` | a file, as ``init(contentsOf:)`` reads it |
    /// | `CABINET_KEY_ID`, `CABINET_PRIVATE_KEY` | the ID of a server's key, and the file of its private key in PEM |
    /// | `CABINET_API_TOKEN` | the API token of the program |
    /// | `CABINET_WEB_TOKEN`, `CABINET_USER` | the web token and the record name of a user; without them, the public database is read |
    ///
    /// The server replaces web tokens. A file gets the latest one, and the variables of an environment do not.
    ///
    /// - Parameter environment: The variables.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if they have neither a key nor an API token, and the errors of
    ///   ``init(contentsOf:)``.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value("CABINET_CREDENTIALS") {
            try self.init(contentsOf: URL(fileURLWithPath: path))
            return
        }
        let contents = Contents(
            keyID: value("CABINET_KEY_ID"), privateKey: value("CABINET_PRIVATE_KEY"),
            apiToken: value("CABINET_API_TOKEN"), webToken: value("CABINET_WEB_TOKEN"), user: value("CABINET_USER"))
        guard let found = try contents.credentials(in: .currentDirectory(), onReplacement: { _ in }) else {
            throw CabinetError(
                .invalidArguments,
                "There are no credentials for CloudKit Web Services. Set CABINET_CREDENTIALS, or CABINET_KEY_ID and CABINET_PRIVATE_KEY, or CABINET_API_TOKEN and CABINET_WEB_TOKEN."
            )
        }
        self = found
    }

    /// Reads credentials from a file that its owner alone can read.
    ///
    /// It has a server's key, or the tokens of a user. The path of the private key may be relative to the file:
    ///
    /// ```json
    /// {"keyID": "…", "privateKey": "key.pem"}
    /// {"apiToken": "…", "webToken": "…", "user": "_4f9d…"}
    /// ```
    ///
    /// Each web token that replaces the one in the file is stored there. The name of the user may be missing.
    ///
    /// - Parameter file: The file. Its permissions are 0600, or less, and so are those of the private key's.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the file cannot be read, or has no credentials, and
    ///   ``/Cabinet/CabinetError/Code/permissionFailure`` if others can read or change it.
    public init(contentsOf file: URL) throws {
        let secret = SecretFile(url: file)
        let bytes = try secret.read()
        let contents = try? JSONDecoder().decode(Contents.self, from: bytes)
        let latest = Mutex(contents)
        let executor = BlockingExecutor(label: "Cabinet credentials")
        let folder = file.deletingLastPathComponent()
        let found = try contents?.credentials(in: folder) { token in
            // A file that cannot be written keeps a token that the server takes for some time.
            try? await executor.run {
                let contents = latest.withLock { contents in
                    contents?.webToken = token
                    return contents
                }
                try secret.write(JSONEncoder().encode(contents) + Data("\n".utf8))
            }
        }
        guard let found else {
            throw CabinetError(
                .invalidArguments,
                "\(file.path) has no credentials. Expected {\"keyID\": ID, \"privateKey\": FILE} or {\"apiToken\": TOKEN, \"webToken\": TOKEN}."
            )
        }
        self = found
    }

    /// Returns credentials with the record name of the user, for which the server is asked if it is unknown.
    package func identified(
        by server: CloudKitServer, in container: WireContainer, _ configuration: RemoteConfiguration
    ) async throws -> CloudKitCredentials {
        guard userRecordName == nil, case .webToken(_, _?, _) = kind else { return self }
        let service = try CloudKitDatabaseService(
            server: server, container: container, credentials: self, configuration: configuration)
        let name = try await service.currentUserRecordName()
        await service.close()
        return CloudKitCredentials(kind: kind, userRecordName: name)
    }

    /// The contents of a file of credentials.
    private struct Contents: Codable, Sendable {
        var keyID: String?
        var privateKey: String?
        var apiToken: String?
        var webToken: String?
        var user: String?

        /// Returns the credentials; `nil` if some are missing.
        func credentials(
            in folder: URL, onReplacement: @escaping @Sendable (String) async -> Void
        ) throws -> CloudKitCredentials? {
            if let keyID, let privateKey {
                let pem = try SecretFile(url: URL(filePath: privateKey, relativeTo: folder)).read()
                return try .serverKey(keyID, privateKey: String(decoding: pem, as: UTF8.self))
            }
            return apiToken.map {
                CloudKitCredentials(
                    kind: .webToken(apiToken: $0, webToken, onReplacement: onReplacement), userRecordName: user)
            }
        }
    }
}

import Cabinet
public import Foundation

extension Credentials {
    /// Reads the credentials of a program from its environment.
    ///
    /// | Variable | Value |
    /// |---|---|
    /// | `CABINET_CREDENTIALS` | a file with both, as ``init(contentsOf:)`` reads it |
    /// | `CABINET_USER` | the record name of the user, as `cabinet users add` prints it |
    /// | `CABINET_TOKEN` | the user's token, as `cabinet users sign-in` prints it |
    ///
    /// Without any of them, the credentials are ``anonymous``. The variables of a process can be read by other programs of its user
    /// alone, and those of a command line can be read by everyone: never pass a token as an argument. Spaces and line breaks at the ends
    /// of the token are passed over.
    ///
    /// - Parameter environment: The variables.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if one of user and token is missing, or the token has characters that no
    ///   token has, and the errors of ``init(contentsOf:)``.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value("CABINET_CREDENTIALS") {
            try self.init(contentsOf: URL(fileURLWithPath: path))
            return
        }
        switch (value("CABINET_USER"), value("CABINET_TOKEN")) {
        case (let user?, let token?): self = .bearer(try Self.trimmed(token), userRecordName: user)
        case (nil, nil): self = .anonymous
        default:
            throw CabinetError(
                .invalidArguments,
                "CABINET_USER and CABINET_TOKEN belong together: the user's record name, and a token.")
        }
    }

    /// Reads credentials from a file that its owner alone can read.
    ///
    /// `cabinet users sign-in NAME --to FILE` writes one:
    ///
    /// ```json
    /// {"user": "_4f9d…", "token": "…"}
    /// ```
    ///
    /// - Parameter file: The file. Its permissions are 0600, or less.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the file cannot be read, or has no credentials, and
    ///   ``/Cabinet/CabinetError/Code/permissionFailure`` if others can read or change it.
    public init(contentsOf file: URL) throws {
        let bytes = try SecretFile(url: file).read()
        guard let credentials = try? JSONDecoder().decode(File.self, from: bytes) else {
            throw CabinetError(
                .invalidArguments,
                "\(file.path) has no credentials. Expected {\"user\": RECORD NAME, \"token\": TOKEN}.")
        }
        self = .bearer(try Self.trimmed(credentials.token), userRecordName: credentials.user)
    }

    /// Returns a token without the spaces and line breaks at its ends, which come from files and pastes.
    private static func trimmed(_ token: String) throws(CabinetError) -> String {
        try checked(token.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Throws if the credentials of a user cannot be written to a file.
    ///
    /// The file may be missing, or have earlier credentials of the same user. Call this before a token is created, which would be lost.
    package static func checkFile(_ file: URL, for userRecordName: String) throws {
        guard FileManager.default.isWritableFile(atPath: file.deletingLastPathComponent().path) else {
            throw CabinetError(
                .invalidArguments,
                "\(file.path) cannot be written: its folder does not exist, or this user may not write to it.")
        }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else { return }
        guard (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let old = try? Credentials(contentsOf: file), old.userRecordName == userRecordName
        else {
            throw CabinetError(
                .invalidArguments,
                "\(file.path) exists, and does not have credentials of the same user that their owner alone can read. Remove it "
                    + "first, or name another file.")
        }
    }

    /// Writes the credentials of a user to a file that its owner alone can read, which replaces one with earlier credentials.
    package static func write(_ token: String, userRecordName: String, to file: URL) throws {
        let bytes = try JSONEncoder().encode(File(user: userRecordName, token: token)) + Data("\n".utf8)
        try SecretFile(url: file).write(bytes)
    }

    /// The contents of a file of credentials.
    private struct File: Codable {
        let user: String
        let token: String
    }
}

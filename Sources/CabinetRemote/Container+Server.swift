public import Cabinet
public import CabinetWire
public import Foundation

extension Container {
    /// Creates a container whose records are on a server.
    ///
    /// ```swift
    /// let container = try Container(
    ///     identifier: "com.example.notes",
    ///     server: URL(string: "https://records.example.com")!,
    ///     credentials: .bearer(token, userRecordName: name))
    /// ```
    ///
    /// Requests that a network failure has interrupted are repeated where that is harmless, which includes saves: the server applies a
    /// save once. ``/Cabinet/Container/close()`` closes the connections.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier.
    ///   - server: The address of the server, with `https`, or `http` for a server on the same machine.
    ///   - credentials: The user.
    ///   - environment: The environment of the container.
    ///   - configuration: The limits of waiting.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the identifier is malformed, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if the address, the user's name or the device's ID is malformed.
    public init(
        identifier: String, server: URL, credentials: Credentials, environment: WireEnvironment = .development,
        configuration: RemoteConfiguration = RemoteConfiguration(), deviceID: String = UUID().uuidString
    ) throws {
        let service = try RemoteDatabaseService(
            server: server, container: WireContainer(identifier: identifier, environment: environment),
            credentials: credentials, configuration: configuration)
        try self.init(
            identifier: identifier, owning: service,
            account: credentials.userRecordName.map { Account(userRecordName: $0) }, deviceID: deviceID)
    }

    /// Creates a container whose records are in iCloud, or on another server of CloudKit Web Services.
    ///
    /// ```swift
    /// let container = try Container(
    ///     identifier: "iCloud.com.example.notes", server: .iCloud,
    ///     credentials: .serverKey(keyID, privateKey: pem))
    /// ```
    ///
    /// Requests that the dialect lacks are refused by name: counts and other aggregates, transactions, live queries, schemas, and filters
    /// that its comparators cannot say.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier.
    ///   - server: The server.
    ///   - credentials: A server's key, which reaches the public database, or the tokens of a user.
    ///   - environment: The environment of the container.
    ///   - configuration: The limits of waiting.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the identifier is malformed, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if the address, the user's name or the device's ID is malformed.
    public init(
        identifier: String, server: CloudKitServer, credentials: CloudKitCredentials,
        environment: WireEnvironment = .development, configuration: RemoteConfiguration = RemoteConfiguration(),
        deviceID: String = UUID().uuidString
    ) throws {
        let service = try CloudKitDatabaseService(
            server: server, container: WireContainer(identifier: identifier, environment: environment),
            credentials: credentials, configuration: configuration)
        try self.init(
            identifier: identifier, owning: service,
            account: credentials.userRecordName.map { Account(userRecordName: $0) }, deviceID: deviceID)
    }
}

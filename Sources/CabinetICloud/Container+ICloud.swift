public import Cabinet
public import CloudKit
import Foundation

extension Container {
    /// Creates a container whose records are in iCloud, for the account of the device.
    ///
    /// ```swift
    /// let container = try await Container(iCloud: CKContainer.default())
    /// let database = container.privateDatabase
    /// ```
    ///
    /// Without an account, the public database can be read. After the account of the device has changed, requests throw
    /// ``/Cabinet/CabinetError/Code/notAuthenticated``, so that nothing is written for another user: create another container then.
    ///
    /// - Parameters:
    ///   - iCloud: CloudKit's container.
    ///   - configuration: The settings.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the container has no identifier,
    ///   ``/Cabinet/CabinetError/Code/accountTemporarilyUnavailable`` and
    ///   ``/Cabinet/CabinetError/Code/managedAccountRestricted`` if the account cannot be used, and failures of the network.
    public init(
        iCloud: CKContainer, configuration: ICloudConfiguration = ICloudConfiguration(),
        deviceID: String = UUID().uuidString
    ) async throws {
        let name = try await ICloudAccount(iCloud).userRecordName()
        try self.init(iCloud: iCloud, userRecordName: name, configuration: configuration, deviceID: deviceID)
    }

    /// Creates a container whose records are in iCloud, for a user that the program knows from before.
    ///
    /// This initializer does not wait for iCloud, so a program can start without a network.
    ///
    /// - Parameters:
    ///   - iCloud: CloudKit's container.
    ///   - userRecordName: The record name of the user, or `nil` to read the public database alone.
    ///   - configuration: The settings.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the container has no identifier, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if the user's name or the device's ID is malformed.
    public init(
        iCloud: CKContainer, userRecordName: String?, configuration: ICloudConfiguration = ICloudConfiguration(),
        deviceID: String = UUID().uuidString
    ) throws {
        guard let identifier = iCloud.containerIdentifier else {
            throw CabinetError(.badContainer, "The program has no container. Add one to its entitlements.")
        }
        try self.init(
            identifier: identifier, owning: ICloudDatabaseService(iCloud, configuration: configuration),
            account: userRecordName.map { Account(userRecordName: $0) }, deviceID: deviceID)
    }

    /// Wakes the live queries of a database that a notification is about.
    ///
    /// A program calls this method for each notification of CloudKit that it receives:
    ///
    /// ```swift
    /// let notification = CKNotification(
    ///     fromRemoteNotificationDictionary: userInfo)
    /// if let notification { container.didReceive(notification) }
    /// ```
    ///
    /// - Parameter notification: The notification.
    /// - Returns: Whether the container is in iCloud, and the notification is about it.
    @discardableResult
    public func didReceive(_ notification: CKNotification) -> Bool {
        (service as? ICloudDatabaseService)?.didReceive(notification) ?? false
    }
}

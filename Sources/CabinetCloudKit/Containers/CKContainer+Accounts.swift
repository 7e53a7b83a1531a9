import Cabinet
public import Foundation

extension CKContainer {
    /// Returns the status of the container's account.
    @discardableResult
    public func accountStatus() async throws -> CKAccountStatus {
        try await CKError.translate {
            let status = try await registry.open(identifier).container.accountStatus()
            return CKAccountStatus(rawValue: status.rawValue) ?? .couldNotDetermine
        }
    }

    /// Passes the status of the container's account to a closure.
    @preconcurrency
    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void) {
        complete({ completionHandler($0 ?? .couldNotDetermine, $1) }) { try await self.accountStatus() }
    }

    /// Returns the ID of the user's own record.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` without an account.
    @discardableResult
    public func userRecordID() async throws -> CKRecord.ID {
        try await privateCloudDatabase.userRecordID()
    }

    /// Passes the ID of the user's own record to a closure.
    @preconcurrency
    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void) {
        complete(completionHandler) { try await self.userRecordID() }
    }

    /// Reports that the user may not be discovered: Cabinet has no address book.
    @available(*, deprecated, message: "User discovery is no longer supported.")
    public func requestApplicationPermission(
        _ applicationPermission: CKContainer.ApplicationPermissions
    ) async throws -> CKContainer.ApplicationPermissionStatus { .denied }

    /// Reports that the user may not be discovered: Cabinet has no address book.
    @available(*, deprecated, message: "User discovery is no longer supported.")
    @preconcurrency
    public func requestApplicationPermission(
        _ applicationPermission: CKContainer.ApplicationPermissions,
        completionHandler: @escaping @Sendable (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        complete({ completionHandler($0 ?? .denied, $1) }) { .denied }
    }

    /// Reports that the user may not be discovered: Cabinet has no address book.
    @available(*, deprecated, message: "User discovery is no longer supported.")
    public func applicationPermissionStatus(
        for applicationPermission: CKContainer.ApplicationPermissions
    ) async throws -> CKContainer.ApplicationPermissionStatus { .denied }

    /// Reports that the user may not be discovered: Cabinet has no address book.
    @available(*, deprecated, message: "User discovery is no longer supported.")
    @preconcurrency
    public func status(
        forApplicationPermission applicationPermission: CKContainer.ApplicationPermissions,
        completionHandler: @escaping @Sendable (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        complete({ completionHandler($0 ?? .denied, $1) }) { .denied }
    }

    /// Returns the IDs of operations that continue after the program ends: none.
    @discardableResult
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

    /// Passes the IDs of operations that continue after the program ends to a closure: none.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { [] }
    }

    /// Returns an operation that continues after the program ends: none.
    @discardableResult
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? { nil }

    /// Passes an operation that continues after the program ends to a closure: none.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        complete({ completionHandler($0 ?? nil, $1) }) { nil as CKOperation? }
    }

    /// The permissions that a program may ask its user for.
    public struct ApplicationPermissions: OptionSet, Sendable {
        /// The permissions as bits.
        public let rawValue: UInt

        /// Creates permissions from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Other users may find the user by their address.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }

    /// A closure that receives the answer of a user who was asked.
    public typealias ApplicationPermissionBlock = (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void

    /// The older names of the permissions that a program may ask its user for.
    public enum Application {
        /// The older name of the permissions.
        public typealias Permissions = CKContainer.ApplicationPermissions
        /// The older name of the answers.
        public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
        /// The older name of the closures.
        public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
    }

    /// The answer of a user who was asked.
    public enum ApplicationPermissionStatus: Int, Sendable {
        /// The user was not asked.
        case initialState = 0
        /// The question could not be asked.
        case couldNotComplete = 1
        /// The user does not permit it.
        case denied = 2
        /// The user permits it.
        case granted = 3
    }
}

/// The older name of the permissions that a program may ask its user for.
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
/// The older name of the answers of a user who was asked.
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The older name of the closures that receive the answers.
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock

extension CKDatabase {
    /// Returns the ID of the user's own record.
    func userRecordID() async throws -> CKRecord.ID {
        try await CKError.translate {
            CKRecord.ID(try await registry.open(identifier).container.userRecordID())
        }
    }
}

extension NSNotification.Name {
    /// The notification that the account has changed.
    ///
    /// Cabinet's account changes with `CabinetCloudKit.use` alone, and the
    /// program posts it then.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}

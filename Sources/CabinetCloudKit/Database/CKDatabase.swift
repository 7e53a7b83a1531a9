import Cabinet
public import Foundation

/// One of a container's three databases.
// Unchecked, and safe: all properties are constants, and the queue is safe to use from every thread.
open class CKDatabase: NSObject, @unchecked Sendable {
    /// The databases of a container, with CloudKit's numbers.
    public enum Scope: Int, Sendable, Hashable, CaseIterable {
        /// The database that all users share.
        case `public` = 1
        /// The database of one user.
        case `private` = 2
        /// The zones that other users share with the user.
        case shared = 3
    }

    /// The scope of the database.
    public let databaseScope: Scope

    let identifier: String
    let registry: ContainerRegistry
    let operations = OperationQueue()

    init(scope: Scope, identifier: String, registry: ContainerRegistry) {
        self.registry = registry
        databaseScope = scope
        self.identifier = identifier
    }

    /// Runs an operation on this database.
    open func add(_ operation: CKDatabaseOperation) {
        operation.database = self
        operations.addOperation(operation)
    }

    /// Runs a closure with this database.
    ///
    /// The configuration and the group are accepted and ignored.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKDatabase) throws -> R
    ) rethrows -> R {
        IgnoredMember.warn("CKDatabase.configuredWith", IgnoredMember.networkReason)
        return try body(self)
    }

    /// Runs a closure with this database.
    ///
    /// The configuration and the group are accepted and ignored.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (CKDatabase) async throws -> R
    ) async rethrows -> R {
        IgnoredMember.warn("CKDatabase.configuredWith", IgnoredMember.networkReason)
        return try await body(self)
    }

    /// The scope and the container, for logs.
    open override var description: String { "<CKDatabase: \(databaseScope) of \(identifier)>" }
}

extension CKDatabase {
    /// Cabinet's database, with the rules that CloudKit adds.
    struct Store {
        let database: Database
        let service: any DatabaseService
        let rules: CloudKitRules
        /// The largest number of items in a request; `nil` for no limit.
        let itemLimit: Int?
        /// The record name of the user.
        let user: String?

        /// Creates the objects for fetched records.
        ///
        /// A share among them comes whole, because its participants are not fields in CloudKit.
        func objects(_ records: [Record], _ desiredKeys: [CKRecord.FieldKey]?) async throws -> [CKRecord] {
            let shares = desiredKeys == nil ? [] : records.filter { $0.recordType == CKRecord.SystemType.share }
            var whole: [RecordID: Record] = [:]
            // The limit is one of the caller's request, which does not name the shares.
            for part in shares.map(\.recordID).parts(of: max(itemLimit ?? .max, 1)) {
                let found = try await database.records(for: Array(part))
                whole.merge(found.compactMapValues(\.record)) { first, _ in first }
            }
            return records.map { record in .object(whole[record.recordID] ?? record, of: user) }
        }
    }

    func store() throws -> Store {
        let opened = try registry.open(identifier)
        let scope = DatabaseScope(rawValue: databaseScope.rawValue) ?? .private
        return Store(
            database: opened.container.database(with: scope), service: opened.container.service,
            rules: CloudKitRules(scope: databaseScope, isOn: opened.options.refusesWhatCloudKitRefuses),
            itemLimit: opened.options.limits.itemsPerRequest,
            user: opened.container.caller.account?.userRecordName)
    }
}

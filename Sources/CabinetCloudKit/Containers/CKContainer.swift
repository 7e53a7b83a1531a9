public import Cabinet
public import Foundation

/// A program's records: a public database, and a private and a shared one of the user.
// Unchecked, and safe: all properties are constants.
open class CKContainer: NSObject, @unchecked Sendable {
    let identifier: String
    let registry: ContainerRegistry
    private let databases: [CKDatabase.Scope: CKDatabase]

    /// The container's identifier.
    open var containerIdentifier: String? { identifier }

    /// Creates a container with an identifier, such as `iCloud.com.example.shopping`.
    ///
    /// Containers with equal identifiers have the same records. A malformed identifier fails at the first request, with
    /// ``CKError/Code/badContainer``.
    public convenience init(identifier containerIdentifier: String) {
        self.init(identifier: containerIdentifier, registry: .shared)
    }

    /// Creates a container with a store of its own, apart from the setting of ``CabinetCloudKit``.
    ///
    /// Two containers on one backend are two devices, of one user or of two. A test needs no other setting.
    ///
    /// - Parameters:
    ///   - containerIdentifier: The container's identifier.
    ///   - backend: The store.
    ///   - options: The account, the limits and what is refused.
    public convenience init(
        identifier containerIdentifier: String, backend: any StorageBackend,
        options: CabinetCloudKit.Options = CabinetCloudKit.Options()
    ) {
        let registry = ContainerRegistry()
        registry.configure(options) { try Container($0, over: backend, $1) }
        self.init(identifier: containerIdentifier, registry: registry)
    }

    init(identifier containerIdentifier: String, registry: ContainerRegistry) {
        identifier = containerIdentifier
        self.registry = registry
        let scopes: [CKDatabase.Scope] = [.public, .private, .shared]
        databases = Dictionary(
            scopes.map { ($0, CKDatabase(scope: $0, identifier: containerIdentifier, registry: registry)) },
            uniquingKeysWith: { $1 })
    }

    private static let standard = CKContainer(identifier: defaultIdentifier)

    /// Returns the container of the program, `iCloud.` with the identifier of its bundle or its name.
    open class func `default`() -> CKContainer { standard }

    private static var defaultIdentifier: String {
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return "iCloud." + String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }

    /// The database that all users share.
    open var publicCloudDatabase: CKDatabase { database(with: .public) }

    /// The database that only the user can access.
    open var privateCloudDatabase: CKDatabase { database(with: .private) }

    /// The database with the zones that other users share with the user.
    open var sharedCloudDatabase: CKDatabase { database(with: .shared) }

    /// Returns the database of a scope.
    open func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        databases[databaseScope] ?? CKDatabase(scope: databaseScope, identifier: identifier, registry: registry)
    }

    /// Runs an operation that belongs to the container.
    ///
    /// An operation of a database runs on its own database, or on the private one.
    open func add(_ operation: CKOperation) {
        if let operation = operation as? CKDatabaseOperation, operation.database == nil {
            operation.database = privateCloudDatabase
        }
        operation.container = self
        privateCloudDatabase.operations.addOperation(operation)
    }

    /// Runs a closure with this container.
    ///
    /// The configuration and the group are accepted and ignored.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) throws -> R
    ) rethrows -> R {
        IgnoredMember.warn("CKContainer.configuredWith", IgnoredMember.networkReason)
        return try body(self)
    }

    /// Runs a closure with this container.
    ///
    /// The configuration and the group are accepted and ignored.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (CKContainer) async throws -> R
    ) async rethrows -> R {
        IgnoredMember.warn("CKContainer.configuredWith", IgnoredMember.networkReason)
        return try await body(self)
    }

    /// Returns a Boolean value that indicates whether another object is a container with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool { isSame(object as? CKContainer) }

    private func isSame(_ other: CKContainer?) -> Bool {
        other?.identifier == identifier && other?.registry === registry
    }

    /// A hash of the identifier.
    open override var hash: Int { identifier.hashValue }

    /// The identifier, for logs.
    open override var description: String { "<CKContainer: \(identifier)>" }
}

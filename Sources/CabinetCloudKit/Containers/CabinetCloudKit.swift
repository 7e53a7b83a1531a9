public import Cabinet
import CabinetEncryption
public import Foundation

/// The setting of CloudKit's names over Cabinet: where the records are, and what is refused.
///
/// ```swift
/// import CabinetCloudKit
/// import CabinetSQLite
///
/// // Once, before the first request:
/// CabinetCloudKit.use(SQLiteBackend(directory: url))
/// let database = CKContainer.default().privateCloudDatabase
/// ```
///
/// Without a call, the environment variable `CABINET_STORE` names the folder of a SQLite store, a server, such as
/// `https://records.example.com`, or a store of a kind that ``registerStore(schemes:open:)`` has added. The user and a token for a server are in
/// the file that `CABINET_CREDENTIALS` names, or in `CABINET_USER` and `CABINET_TOKEN`. Without `CABINET_STORE`, records are kept in
/// memory, which one line on standard error says.
public enum CabinetCloudKit {
    /// Keeps the records of all containers in one store.
    ///
    /// - Parameters:
    ///   - backend: The store.
    ///   - options: The account, the limits and what is refused.
    public static func use(_ backend: any StorageBackend, options: Options = Options()) {
        ContainerRegistry.shared.configure(options) { try Container($0, over: backend, $1) }
    }

    /// Keeps the records of each container in a store of its own.
    ///
    /// - Parameters:
    ///   - options: The account, the limits and what is refused.
    ///   - makeBackend: A closure that returns the store of the container with an identifier. It is called once for each.
    public static func use(
        options: Options = Options(),
        makeBackend: @escaping @Sendable (_ identifier: String) throws -> any StorageBackend
    ) {
        ContainerRegistry.shared.configure(options) { try Container($0, over: makeBackend($0), $1) }
    }

    /// Keeps the records of each container in memory, without a line on standard error: for tests.
    ///
    /// Records of containers that were used before are forgotten.
    public static func useMemory(options: Options = Options()) {
        ContainerRegistry.shared.configure(options) { try Container($0, over: MemoryBackend(), $1) }
    }

    /// Adds a kind of store that the environment variable `CABINET_STORE` can name.
    ///
    /// This module opens folders and servers of Cabinet, so that other programs do not link the libraries of databases.
    ///
    /// ```swift
    /// // CABINET_STORE=postgresql://db.example.com/shopping
    /// CabinetCloudKit.registerStore(
    ///     schemes: ["postgres", "postgresql"]
    /// ) { try PostgresBackend(connection: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - schemes: The beginnings of the locations, up to the colon.
    ///   - open: A closure that opens the store at a location. It is called once, and all containers share the store.
    public static func registerStore(
        schemes: Set<String>, open: @escaping @Sendable (_ location: String) throws -> any StorageBackend
    ) {
        StoreSchemes.shared.register(schemes, open)
    }

    /// Returns Cabinet's container under a CloudKit container, for what CloudKit does not have: schemas, counts, live
    /// queries.
    ///
    /// - Throws: ``CKError/Code/badContainer`` if the store cannot be opened.
    public static func container(of container: CKContainer) throws -> Container {
        do {
            return try container.registry.open(container.identifier).container
        } catch {
            throw CKError.translating(error)
        }
    }

    /// The account, the limits and what is refused.
    public struct Options: Sendable {
        /// The user that the containers act for, or `nil` for a device without an account.
        public var account: Account?

        /// The origin of record types and fields: saves add them, as in CloudKit's development environment, or a schema
        /// declares them, as in production.
        public var schema: SchemaMode

        /// The largest requests and records.
        ///
        /// The default is CloudKit's limits.
        public var limits: Limits

        /// Whether what CloudKit refuses is refused: predicates with OR, unknown fields and record types in queries and
        /// subscriptions, comparisons of another type, custom zones in the public database, changes of the default zone, and
        /// more.
        ///
        /// The default is `true`, so that what works here works in iCloud.
        public var refusesWhatCloudKitRefuses: Bool

        /// The identity of this device, which is not notified of its own changes.
        ///
        /// The default is another one at each start of the program, which is then notified of what it has changed before. A program that
        /// listens for notifications sets an identity that it keeps.
        public var deviceID: String

        /// The keys of `encryptedValues`.
        ///
        /// The default keeps them in the folder that the environment variable `CABINET_KEYS` names, or in `Cabinet/Keys` of the user's
        /// folder for applications' data.
        public var encryption: Encryption

        /// The clock for creation and modification dates.
        public var now: @Sendable () -> Date

        /// Creates options, by default those of CloudKit's development environment.
        public init(
            account: Account? = .default, schema: SchemaMode = .growing, limits: Limits = .cloudKit,
            refusesWhatCloudKitRefuses: Bool = true, deviceID: String = UUID().uuidString,
            encryption: Encryption = .standard,
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.account = account
            self.schema = schema
            self.limits = limits
            self.refusesWhatCloudKitRefuses = refusesWhatCloudKitRefuses
            self.deviceID = deviceID
            self.encryption = encryption
            self.now = now
        }
    }
}

extension Encryption {
    /// The encryption of containers without another one: keys in files of the user.
    public static var standard: Encryption {
        let setting = ProcessInfo.processInfo.environment["CABINET_KEYS"] ?? ""
        let folder =
            setting.isEmpty
            ? FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?
                .appendingPathComponent("Cabinet/Keys", isDirectory: true) : nil
        let directory = folder ?? URL(fileURLWithPath: setting.isEmpty ? "Keys" : setting, isDirectory: true)
        return Encryption(keyStore: FileKeyStore(directory: directory))
    }
}

/// One of a container's three databases, in which records are saved, fetched and queried.
///
/// ```swift
/// let database = container.privateDatabase
/// let item = try await database.save(Record(recordType: "Items"))
/// ```
///
/// Get one from a ``Container``. Any number of tasks may use it at the same time. <doc:GettingStarted> shows the common
/// functions in a small program.
public struct Database: Sendable {
    /// The scope of the database: public, private or shared.
    public let databaseScope: Scope

    /// The zone that ``inZone(_:)`` limits the database to, or `nil` for the whole database.
    public internal(set) var zoneID: RecordZone.ID?

    let client: ServiceClient
}

extension Database {
    /// The databases of a container.
    public typealias Scope = DatabaseScope
}

extension Database: CustomStringConvertible {
    /// The container's identifier, the scope, and the zone if there is one: `com.example.shopping: private database`.
    public var description: String {
        "\(client.containerIdentifier): \(databaseScope) database\(zoneID.map { ", zone \($0)" } ?? "")"
    }
}

/// One of a container's three databases: where records are saved, fetched and queried.
public struct Database: Sendable {
    /// The scope of the database: public, private or shared.
    public let databaseScope: Scope

    /// The zone that the database is limited to by ``inZone(_:)``; `nil` for the whole database.
    public internal(set) var zoneID: RecordZone.ID?

    let containerIdentifier: String
    let service: any DatabaseService
}

extension Database {
    /// The databases of a container.
    public typealias Scope = DatabaseScope
}

extension Database: CustomStringConvertible {
    /// The container's identifier, the scope, and the zone if there is one: `com.example.shopping: private database`.
    public var description: String {
        "\(containerIdentifier): \(databaseScope) database\(zoneID.map { ", zone \($0)" } ?? "")"
    }
}

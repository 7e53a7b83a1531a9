import Cabinet
import CabinetWire

/// A database of the dashboard, as the path of its pages names it: `/dashboard/com.example.notes/development/private`.
struct Place: Sendable, Hashable {
    let container: String
    let environment: String
    let scope: DatabaseScope
    /// The user that the person acts as; `nil` for the dashboard's own account.
    let user: String?
    /// The address that those of all pages begin with, which a page of records has hundreds of times.
    private let start: String

    init(container: String, environment: String, scope: DatabaseScope, user: String? = nil) {
        self.container = container
        self.environment = environment
        self.scope = scope
        self.user = user
        let name = Self.scopes.first { $0.scope == scope }?.name ?? ""
        path = [container, environment, user.map { "\(name)~\($0)" } ?? name]
        start = RequestTarget(path: [Dashboard.path] + path).description
    }

    /// Reads the first three segments of a path; `nil` if they name no database.
    init?(_ path: ArraySlice<String>) {
        guard path.count >= 3 else { return nil }
        let parts = path[path.startIndex + 2].split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scope = Self.scopes.first(where: { $0.name == parts[0] })?.scope else { return nil }
        self.init(
            container: path[path.startIndex], environment: path[path.startIndex + 1], scope: scope,
            user: parts.count > 1 ? String(parts[1]) : nil)
    }

    static let scopes: [(name: String, scope: DatabaseScope)] = [
        ("private", .private), ("public", .public), ("shared", .shared),
    ]

    /// The segments of the path.
    let path: [String]

    /// The greatest number of bytes of a link, since the head of a request also has the address of the page with the link.
    static let longestLink = 3_000

    /// Returns the address of a page of the database.
    ///
    /// - Parameters:
    ///   - page: The name of the page; `nil` for that of the record types.
    ///   - items: The names and values of the query; those without a value are left out.
    func link(_ page: String? = nil, _ items: KeyValuePairs<String, String?> = [:]) -> String {
        let target = RequestTarget(
            path: page.map { [$0] } ?? [],
            query: items.compactMap { name, value in
                value.flatMap { $0.isEmpty ? nil : RequestTarget.Item(name: name, value: $0) }
            })
        return start + target.description
    }

    /// Returns the address of a record's page.
    func link(to id: RecordID) -> String { link("record", Self.items(id)) }

    /// Returns the address of the records of a type in a zone, or that of the shares.
    func link(toRecordsOf type: Record.RecordType, in zoneID: RecordZone.ID) -> String {
        if type == Share.recordType { return link("shares") }
        return link("records", ["type": type, "zone": Self.zoneName(zoneID), "owner": Self.owner(zoneID)])
    }

    /// The names and values of a query that name a record.
    static func items(_ id: RecordID) -> KeyValuePairs<String, String?> {
        ["zone": zoneName(id.zoneID), "owner": owner(id.zoneID), "name": id.recordName]
    }

    /// The name of a zone in an address; `nil` for the default zone.
    static func zoneName(_ zoneID: RecordZone.ID?) -> String? {
        zoneID.flatMap { $0.zoneName == RecordZone.ID.defaultZoneName ? nil : $0.zoneName }
    }

    /// The owner of a zone in an address; `nil` for the current user.
    static func owner(_ zoneID: RecordZone.ID?) -> String? {
        zoneID.flatMap { $0.ownerName == RecordZone.ID.defaultOwnerName ? nil : $0.ownerName }
    }
}

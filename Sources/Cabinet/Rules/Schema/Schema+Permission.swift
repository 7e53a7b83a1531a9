extension Schema {
    /// A kind of access to the records of a type in the public database.
    public enum Permission: String, Sendable, Hashable, CaseIterable, Codable {
        /// To fetch, query and observe records.
        case read = "READ"
        /// To save new records.
        case create = "CREATE"
        /// To change and delete records.
        case write = "WRITE"
    }

    /// The role of everyone, with an account or without.
    public static let worldRole = "_world"

    /// The role of every user with an account.
    public static let userRole = "_icloud"

    /// The role of the user who created the record.
    public static let creatorRole = "_creator"

    /// The roles that exist in every schema.
    public static let systemRoles: Set<String> = [worldRole, userRole, creatorRole]

    /// Returns the grants of a record type that declares none.
    ///
    /// They are CloudKit's: everyone reads, every user creates, and the creator changes and deletes.
    ///
    /// - Parameter recordType: The record type. The container itself creates `Users` records, so their type has no grant of CREATE.
    public static func defaultGrants(of recordType: Record.RecordType) -> [String: Set<Permission>] {
        var grants: [String: Set<Permission>] = [worldRole: [.read], creatorRole: [.write]]
        if recordType != UserRecordRule.recordType { grants[userRole] = [.create] }
        return grants
    }
}

import Foundation

/// The permissions of a user in a database.
///
/// In the public database, the schema grants permissions to roles. In a database whose owner shares zones with the user, the shares do.
/// The other databases belong to the user.
struct PermissionRule: Sendable {
    /// The user; `nil` without an account.
    let user: String?

    /// The user's custom roles.
    private let roles: Set<String>

    /// Whether the schema grants permissions; otherwise the database belongs to the user.
    private let isPublic: Bool

    /// The grants of the database.
    var rules: SchemaRules

    /// The rights in the zones that the owner of the database shares with the user; `nil` in the user's own databases.
    var access: ShareAccess?

    init(_ database: DatabaseKey, user: String?, roles: Set<String> = [], rules: SchemaRules = SchemaRules()) {
        self.user = user
        self.roles = roles
        isPublic = database == .public
        self.rules = rules
    }

    /// The records of a type for which a permission is granted.
    enum Extent {
        case all
        /// The records that the user created.
        case own
        case none
    }
}

extension PermissionRule {
    /// Returns the records of a type for which the user has a permission.
    func extent(of permission: Schema.Permission, on recordType: Record.RecordType) -> Extent {
        guard isPublic else { return .all }
        guard let type = rules.types[recordType], !type.grants.isEmpty else {
            // The default grants, without creating them for each record.
            return switch permission {
            case .read: .all
            case .create: user == nil || recordType == UserRecordRule.recordType ? .none : .all
            case .write: user == nil ? .none : .own
            }
        }
        var extent = Extent.none
        for (role, permissions) in type.grants where permissions.contains(permission) {
            switch role {
            case Schema.worldRole: return .all
            case Schema.userRole: if user != nil { return .all }
            case Schema.creatorRole: if user != nil { extent = .own }
            default: if user != nil, roles.contains(role) { return .all }
            }
        }
        return extent
    }

    /// Whether the user may read all records because the schema has no grants.
    var canReadAll: Bool { !isPublic || !rules.hasGrants }

    /// A fingerprint of the records that the user may read, which changes with grants, roles and shares; `nil` if they are all.
    ///
    /// It also changes with the name of a type that has records which the user may not read.
    var readAccess: String? {
        if let access { return access.readAccess }
        if canReadAll { return nil }
        var text = ""
        for recordType in rules.types.keys.sorted() {
            switch extent(of: .read, on: recordType) {
            case .all: break
            case .own: text += "\(recordType) \(user ?? "")\n"
            case .none: text += "\(recordType)\n"
            }
        }
        return text.isEmpty ? nil : Asset.Checksum(of: Data(text.utf8)).fingerprint
    }

    /// Whether the user may know of the changes in a zone.
    func canRead(_ zoneID: RecordZone.ID) -> Bool { access?.canRead(zoneID) ?? true }

    /// Whether the user may read every record that can have an asset.
    func canReadAllAssets(in schema: StoredSchema) -> Bool {
        if access != nil { return false }
        if canReadAll { return true }
        return schema.recordTypes.allSatisfy { recordType, fields in
            if case .all = extent(of: .read, on: recordType) { return true }
            return !fields.values.contains { $0.scalar == .asset }
        }
    }

    /// Whether the user has a permission for a stored record.
    func allows(_ permission: Schema.Permission, for record: StoredRecord) -> Bool {
        if let access { return access.violation(of: permission, for: record) == nil }
        return switch extent(of: permission, on: record.recordType) {
        case .all: true
        case .own: record.creatorName == user
        case .none: false
        }
    }

    /// Returns the error if the user lacks a permission for a stored record.
    func violation(of permission: Schema.Permission, for record: StoredRecord) -> CabinetError? {
        if let access { return access.violation(of: permission, for: record) }
        if allows(permission, for: record) { return nil }
        return violation(
            of: permission, on: record.recordType, recordID: record.recordID,
            creatorName: allows(.read, for: record) ? record.creatorName : nil)
    }

    /// Returns the error if the user lacks a permission for every record of a type.
    func violation(
        of permission: Schema.Permission, on recordType: Record.RecordType, recordID: RecordID? = nil
    ) -> CabinetError? {
        if let access { return recordID.flatMap { access.violation(of: permission, inZoneOf: $0) } }
        guard case .none = extent(of: permission, on: recordType) else { return nil }
        return violation(of: permission, on: recordType, recordID: recordID, creatorName: nil)
    }

    private func violation(
        of permission: Schema.Permission, on recordType: Record.RecordType, recordID: RecordID?, creatorName: String?
    ) -> CabinetError {
        let grants = rules.grants(of: recordType)
        let holders = grants.filter { $0.value.contains(permission) }.keys.sorted().map { role in
            role == Schema.creatorRole ? creatorName.map { "\(role) (\($0))" } ?? role : role
        }
        let roles = roles.isEmpty ? "" : " with the roles \(roles.sorted().joined(separator: ", "))"
        return CabinetError(
            .permissionFailure,
            "\(user.map { "The user \($0)\(roles)" } ?? "A container without an account") lacks a grant of "
                + "\(permission.rawValue) on \(recordType) in the public database. The schema grants it to "
                + "\(holders.isEmpty ? "no role" : holders.joined(separator: " and to ")).",
            recordID: recordID)
    }
}

extension PermissionRule {
    /// Returns the filter of a query, limited to the records that the user may read.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keys: Further keys whose values the request reads.
    ///   - schema: The schema of the database.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the user may read no record of the type, or if a key path or a count could
    ///   lead to a record that the user may not read.
    func readable(
        _ query: Query, valuesOf keys: [Record.FieldKey] = [], in schema: StoredSchema
    ) throws(CabinetError) -> Filter {
        if canReadAll { return query.filter }
        try checkPaths(of: query, keys, in: schema)
        switch extent(of: .read, on: query.recordType) {
        case .all: return query.filter
        case .own:
            guard let user else { return .constant(false) }
            let creator = Reference(recordID: RecordID(recordName: user), action: .none)
            let isOwn = Filter.Comparison(
                .field(SystemField.creatorUserRecordID.rawValue), .equal, .constant(.reference(creator)))
            return .and([.comparison(isOwn), query.filter])
        case .none:
            throw violation(of: .read, on: query.recordType) ?? CabinetError(.permissionFailure, "READ is not granted.")
        }
    }

    /// Refuses key paths and counts that could lead to a record that the user may not read, because its values could be found out by queries.
    private func checkPaths(
        of query: Query, _ keys: [Record.FieldKey], in schema: StoredSchema
    ) throws(CabinetError) {
        var names: Set<Record.FieldKey> = []
        func add(_ steps: some Sequence<FieldPath.Step>) {
            for case .name(let name) in steps { names.insert(name) }
        }
        for key in keys + query.sortDescriptors.filter(\.isByPath).map(\.key) where FieldPath.isLong(key) {
            add((try? FieldPath(key).steps)?.dropFirst() ?? [])
        }
        var counted: Set<Record.RecordType> = []
        /// Adds the paths of a filter, and of those within it.
        func add(_ filter: Filter) {
            filter.forEachOperand { operand in
                switch operand {
                case .field(let key): if FieldPath.isLong(key) { add((try? FieldPath(key).steps)?.dropFirst() ?? []) }
                case .member(_, let member): add((try? FieldPath.steps(of: member)) ?? [])
                case .referring(let type, _, let filter):
                    counted.insert(type)
                    add(filter)
                default: break
                }
            }
        }
        add(query.filter)
        for sort in query.sortDescriptors {
            guard let (type, _, filter) = try? sort.counted() else { continue }
            counted.insert(type)
            add(filter)
        }
        for recordType in counted.sorted() {
            if case .all = extent(of: .read, on: recordType) { continue }
            var error = violation(of: .read, on: recordType, recordID: nil, creatorName: nil)
            error.message += " The query counts such records."
            throw error
        }
        if names.isEmpty { return }
        let hasSystemField = names.contains { SystemField(rawValue: $0) != nil }
        for (recordType, fields) in schema.recordTypes.sorted(by: { $0.key < $1.key })
        where hasSystemField || names.contains(where: { fields[$0] != nil }) {
            if case .all = extent(of: .read, on: recordType) { continue }
            var error = violation(of: .read, on: recordType, recordID: nil, creatorName: nil)
            error.message += " A key path of the query could lead to such a record."
            throw error
        }
    }
}

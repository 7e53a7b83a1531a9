import Cabinet

/// The requests that CloudKit refuses and Cabinet would carry out.
struct CloudKitRules: Sendable {
    let scope: CKDatabase.Scope
    let isOn: Bool

    /// Returns the error of a zone that CloudKit would not save.
    func violation(saving zone: RecordZone) -> CKError? {
        guard isOn, scope != .private, zone.zoneID != .default else { return nil }
        return CKError(.badDatabase, "Custom zones are in the private database alone. This is the \(scope) database.")
    }

    /// Throws if the changes of a zone cannot be fetched.
    func checkChanges(of zoneID: RecordZone.ID?) throws {
        guard isOn else { return }
        if scope == .public {
            throw CKError(.badDatabase, "The public database has no changes to fetch. Query its records instead.")
        }
        if zoneID == .default {
            throw CKError(
                .serverRejectedRequest, "The default zone has no changes to fetch. Save the records in a custom zone.")
        }
    }

    /// Throws if CloudKit would refuse a query.
    func check(_ query: Query, zoneID: RecordZone.ID?, in database: Database) async throws {
        guard isOn else { return }
        if scope == .shared, zoneID == nil {
            throw CKError(.invalidArguments, "A query of the shared database needs a zone.")
        }
        if query.recordType == CKRecord.SystemType.userRecord {
            throw CKError(.permissionFailure, "Users records cannot be queried. Fetch them by ID.")
        }
        let schema = try await database.schema()
        let fields = schema.recordTypes[query.recordType].map { type in
            FieldTypes(type.fields.mapValues(\.type))
        }
        if let refused = query.validateForCloudKit(fields: fields).first {
            throw CKError(.invalidArguments, refused.description)
        }
        // Shares exist without a type of the schema, and have custom keys that it does not name.
        if query.recordType == CKRecord.SystemType.share { return }
        guard let fields else {
            if let zoneID { _ = try await database.recordZone(for: zoneID) }
            throw CKError(.unknownItem, "Did not find record type: \(query.recordType). The first save creates it.")
        }
        for key in query.filter.fieldKeys + query.sortDescriptors.map(\.key) where fields[key] == nil {
            throw CKError(.invalidArguments, "Unknown field '\(key)' of record type '\(query.recordType)'.")
        }
        if let mismatch = query.filter.typeMismatch(fields) { throw CKError(.invalidArguments, mismatch) }
    }

    /// Throws if CloudKit would refuse a subscription.
    func check(_ subscription: Subscription, in database: Database) async throws {
        guard isOn else { return }
        switch subscription {
        case .query(let query):
            try await check(
                Query(recordType: query.recordType, filter: query.filter), zoneID: query.zoneID, in: database)
        case .recordZone(let zone) where zone.zoneID == .default:
            throw CKError(
                .serverRejectedRequest,
                "The default zone has no subscriptions. Save the records in a custom zone, or use a query subscription."
            )
        case .database where scope == .public:
            throw CKError(.badDatabase, "The public database has query subscriptions alone.")
        case .recordZone, .database: return
        }
    }
}

extension Filter {
    /// The fields of the record that the filter names.
    var fieldKeys: [Record.FieldKey] {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.fieldKeys + comparison.right.fieldKeys
        case .and(let children), .or(let children): children.flatMap(\.fieldKeys)
        case .not(let child): child.fieldKeys
        }
    }
}

extension Filter.Expression {
    fileprivate var fieldKeys: [Record.FieldKey] {
        switch self {
        case .field(let key): [key]
        case .distance(let left, let right), .arithmetic(let left, _, let right): left.fieldKeys + right.fieldKeys
        case .member(let operand, _), .element(let operand, _), .negative(let operand): operand.fieldKeys
        case .list(let operands): operands.flatMap(\.fieldKeys)
        case .searchableText, .variable, .constant, .unstorable, .referring: []
        }
    }
}

/// A rule that merges the versions of a record that two clients have changed.
///
/// ```swift
/// item = try await database.save(
///     item,
///     resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
/// ```
///
/// A custom resolver changes the conflict's server record and returns it:
///
/// ```swift
/// let higherNumberWins = ConflictResolver { conflict in
///     var record = conflict.serverRecord
///     let clientNumber = conflict.clientRecord["number"] ?? 0
///     record["number"] = max(record["number"] ?? 0, clientNumber)
///     return record
/// }
/// ```
///
/// <doc:Conflicts> describes when conflicts occur and which resolver fits.
public struct ConflictResolver: Sendable {
    private let resolve: @Sendable (RecordConflict) throws -> Record

    /// Creates a resolver.
    ///
    /// - Parameter resolve: A closure that returns the conflict's server record, changed or not. If it is unchanged,
    ///   nothing is saved. If the closure throws, the save throws the same error. One save may call it several times,
    ///   while other clients save too.
    public init(_ resolve: @escaping @Sendable (RecordConflict) throws -> Record) {
        self.resolve = resolve
    }

    /// Returns the record to save instead.
    ///
    /// - Throws: The errors of the resolver, and ``CabinetError/Code/invalidArguments`` if it returned another record
    ///   than the server's, which alone has the valid change tag.
    package func record(for conflict: RecordConflict) throws -> Record {
        let record = try resolve(conflict)
        let server = conflict.serverRecord
        guard record.recordID == server.recordID, record.recordChangeTag == server.recordChangeTag else {
            throw CabinetError(
                .invalidArguments,
                "The conflict resolver returned a record that cannot be saved over the server's. Change the conflict's server record, and return that.",
                recordID: server.recordID)
        }
        return record
    }
}

extension ConflictResolver {
    /// A resolver that keeps the server's record, and drops the client's changes.
    public static let serverWins = ConflictResolver(\.serverRecord)

    /// A resolver that applies the client's changes to the server's record, where they replace the server's values.
    public static let clientWins = ConflictResolver { conflict in
        try ThreeWayMerge(conflict).record { $0.client }
    }

    /// Returns a resolver that keeps the record with the greater value in a field, such as the date of a change.
    ///
    /// A record without a value loses. If the values are equal, the server's record wins.
    ///
    /// - Parameter key: A field with a date, number or text. With a system field, a conflict throws
    ///   ``CabinetError/Code/invalidArguments``, because the server sets it and it says nothing about the client's
    ///   changes.
    public static func newestWins(by key: Record.FieldKey) -> ConflictResolver {
        ConflictResolver { conflict in
            if SystemField(rawValue: key) != nil {
                throw CabinetError(
                    .invalidArguments,
                    "'\(key)' does not show which changes are newer, because the server sets it. Set a field of your own with "
                        + "each change, and name that.",
                    recordID: conflict.serverRecord.recordID, fieldKey: key)
            }
            let order = FieldValue.sortOrder(conflict.clientRecord.fields[key], conflict.serverRecord.fields[key])
            return try (order == .after ? clientWins : serverWins).record(for: conflict)
        }
    }

    /// Returns a resolver that applies the changes of both clients, field by field.
    ///
    /// A field that only one client has changed gets that client's value. If both have changed a field to different
    /// values, the preference decides. If the client never fetched the record, every field counts as changed by both.
    /// The same holds for fields that were not fetched because of desired keys, or because the record was created from
    /// system fields. An integer and a fraction with the same value are equal. The parent is merged like a field.
    ///
    /// - Parameter preference: The version that wins where both have changed a field.
    public static func fieldwise(whenBothChanged preference: FieldPreference) -> ConflictResolver {
        ConflictResolver { conflict in
            try ThreeWayMerge(conflict).record { field in
                switch preference {
                case .client: return field.client
                case .server: return field.server
                case .fail:
                    throw CabinetError(
                        .serverRecordChanged, "Two clients have changed the field '\(field.key)'.",
                        recordID: conflict.serverRecord.recordID, fieldKey: field.key, conflict: conflict)
                }
            }
        }
    }

    /// Returns a resolver that applies the changes of both clients, and calls a closure for fields that both have
    /// changed.
    ///
    /// - Parameter decide: A closure that returns the value of a field that both have changed, or `nil` for none. For
    ///   the parent, the key is `parent` and the closure returns a reference.
    public static func fieldwise(
        _ decide: @escaping @Sendable (FieldConflict) throws -> (any RecordValue)?
    ) -> ConflictResolver {
        ConflictResolver { conflict in
            try ThreeWayMerge(conflict).record { field in
                guard let value = try decide(field) else { return nil }
                guard let fieldValue = value.fieldValue else {
                    throw CabinetError(
                        .invalidArguments, "The conflict resolver returned \(value), which no field can hold.",
                        recordID: conflict.serverRecord.recordID, fieldKey: field.key)
                }
                return fieldValue
            }
        }
    }

    /// A resolver as ``fieldwise(whenBothChanged:)`` with ``FieldPreference/server``, which keeps the client's value where the server's
    /// record has none.
    ///
    /// The field may have been renamed there, or dropped, and its absence does not show that. A save of the value is refused then with the
    /// new name, or adds the field again; without it, the client's change would be lost silently.
    package static let serverUnlessRemoved = ConflictResolver { conflict in
        try ThreeWayMerge(conflict).record { field in
            guard conflict.serverRecord.fields.knows(field.key) else {
                throw CabinetError(
                    .incompatibleVersion, "The server's value of '\(field.key)' cannot be read here.",
                    recordID: conflict.serverRecord.recordID, fieldKey: field.key)
            }
            return field.server ?? field.client
        }
    }

    /// The versions that can win where both clients have changed a field.
    public enum FieldPreference: Sendable, Hashable, CaseIterable {
        /// The client's value.
        case client
        /// The server's value.
        case server
        /// Neither value.
        ///
        /// The save fails with ``CabinetError/Code/serverRecordChanged``.
        case fail
    }
}

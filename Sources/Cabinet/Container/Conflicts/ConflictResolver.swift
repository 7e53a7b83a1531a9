/// Decides what a record becomes that two clients have changed.
///
/// ```swift
/// item = try await database.save(item, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
/// ```
///
/// A resolver of one's own returns the conflict's server record, with whatever changes it wants made to it:
///
/// ```swift
/// let higherNumberWins = ConflictResolver { conflict in
///     var record = conflict.serverRecord
///     record["number"] = max(record["number"] ?? 0, conflict.clientRecord["number"] ?? 0)
///     return record
/// }
/// ```
public struct ConflictResolver: Sendable {
    private let resolve: @Sendable (RecordConflict) throws -> Record

    /// Creates a resolver.
    ///
    /// - Parameter resolve: Returns the conflict's server record, changed or not; unchanged, nothing is saved. What it throws, the
    ///   save throws. It may be called several times for one save, as long as others save too.
    public init(_ resolve: @escaping @Sendable (RecordConflict) throws -> Record) {
        self.resolve = resolve
    }

    /// The record to save instead.
    ///
    /// - Throws: What the resolver throws, and ``CabinetError/Code/invalidArguments`` if it returned another record than the
    ///   server's: only that one has the valid change tag.
    func record(for conflict: RecordConflict) throws -> Record {
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
    /// Keeps what the server has, and drops the client's changes.
    public static let serverWins = ConflictResolver(\.serverRecord)

    /// Makes the client's changes over those that the server has in the same fields.
    ///
    /// Like every resolver that makes changes, it refuses two records of different types with
    /// ``CabinetError/Code/invalidArguments``.
    public static let clientWins = ConflictResolver { conflict in
        try ThreeWayMerge(conflict).record { $0.client }
    }

    /// Keeps the record whose field has the greater value, such as a date that the program sets with each change.
    ///
    /// A record without a value loses; of equal values the server's wins.
    ///
    /// - Parameter key: A field with a date, number or text; no system field, because what the server has set tells nothing of
    ///   the client's changes. With one, the save fails with ``CabinetError/Code/invalidArguments`` when there is a conflict.
    public static func newestWins(by key: Record.FieldKey) -> ConflictResolver {
        ConflictResolver { conflict in
            if SystemField(rawValue: key) != nil {
                throw CabinetError(
                    .invalidArguments,
                    "'\(key)' does not tell which changes are newer, because the server sets it. Set a field of your own with "
                        + "each change, and name that.",
                    recordID: conflict.serverRecord.recordID, fieldKey: key)
            }
            let order = FieldValue.sortOrder(conflict.clientRecord.fields[key], conflict.serverRecord.fields[key])
            return try (order == .after ? clientWins : serverWins).record(for: conflict)
        }
    }

    /// Makes the changes of both, field by field.
    ///
    /// A field that only one of the two has changed gets its value. For one that both have changed, to different values, the
    /// preference says whose is taken. If the client never fetched the record, both have changed every field that they have; of a
    /// record fetched with desired keys, or made of system fields, the same holds of the fields that were not fetched. A number
    /// is the same as an integer or a fraction. The parent is merged as if it were a field.
    ///
    /// - Parameter preference: Whose value is taken where both have changed a field.
    public static func fieldwise(whenBothChanged preference: FieldPreference) -> ConflictResolver {
        ConflictResolver { conflict in
            try ThreeWayMerge(conflict).record { field in
                switch preference {
                case .client: return field.client
                case .server: return field.server
                case .fail:
                    throw CabinetError(
                        .serverRecordChanged, "The client and someone else have both changed the field '\(field.key)'.",
                        recordID: conflict.serverRecord.recordID, fieldKey: field.key, conflict: conflict)
                }
            }
        }
    }

    /// Makes the changes of both, field by field, and asks about those that both have changed to different values.
    ///
    /// - Parameter decide: Returns the value of a field that both have changed; `nil` for none. It is asked about the parent under the
    ///   key `parent`, and returns a reference.
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

    /// Whose value is taken where both have changed a field.
    public enum FieldPreference: Sendable, Hashable, CaseIterable {
        /// The client's.
        case client
        /// The server's.
        case server
        /// Neither value: the save fails with ``CabinetError/Code/serverRecordChanged``.
        case fail
    }
}

extension CompiledFilter {
    /// The other records that the evaluation of a record reads.
    ///
    /// The evaluator asks each time that it follows a path or counts records. A resolver that reads from a store should
    /// cache records. ``QueryPlan/resolver(over:)`` is one for records in memory.
    public struct Resolver {
        private let record: (RecordID) throws -> StoredRecord?
        private let counting: (ReferringRecords) throws -> Int

        /// Creates a resolver.
        ///
        /// - Parameters:
        ///   - record: Returns the record that a reference points to, or `nil` if it does not exist.
        ///   - counting: Returns the number of the records that refer to a record; see ``QueryPlan/counting(_:)``. The
        ///     default throws.
        public init(
            _ record: @escaping (RecordID) throws -> StoredRecord?,
            counting: @escaping (ReferringRecords) throws -> Int = { throw Resolver.unknownCount(of: $0) }
        ) {
            self.record = record
            self.counting = counting
        }

        /// A resolver that refuses to find records.
        public static var none: Resolver {
            Resolver { id in
                throw CabinetError(
                    .invalidArguments,
                    "A key path of the filter or the order leads to another record, and nothing was given that finds records. "
                        + "Pass a resolver for 'resolving'.", recordID: id)
            }
        }

        /// Returns the record that a reference points to, or `nil` if it does not exist.
        public func callAsFunction(_ id: RecordID) throws -> StoredRecord? { try record(id) }

        /// Returns the number of the records that refer to a record.
        public func count(of records: ReferringRecords) throws -> Int {
            // Each count compiles the filter.
            if let meter = WorkMeter.current { try meter.spend(1 + records.filter.unitsToCompile) }
            return try counting(records)
        }

        /// Returns the error of a resolver that cannot count.
        @usableFromInline
        static func unknownCount(of records: ReferringRecords) -> CabinetError {
            CabinetError(
                .invalidArguments,
                "The filter or the order counts the \(records.recordType) records that refer to this one, and nothing was given "
                    + "that counts them. Query a database, or pass 'counting' to the resolver.",
                recordID: records.target, fieldKey: records.field)
        }
    }
}

/// The records of a type that refer to one record, and that match a filter.
public struct ReferringRecords: Sendable, Hashable {
    /// The type of the records.
    public let recordType: Record.RecordType

    /// The field, or ``SystemField/parent``, with the reference or the list of references.
    public let field: Record.FieldKey

    /// The record that they refer to.
    public let target: RecordID

    /// The condition that they match.
    public let filter: Filter
}

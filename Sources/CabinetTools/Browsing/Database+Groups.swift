package import Cabinet

/// The records that have one value of a field: their number, and what another field has in them.
package struct RecordGroup: Sendable {
    /// The value; `nil` for the records without one.
    package let value: FieldValue?
    /// The number of the records.
    package let count: Int
    /// The sum of the other field; `nil` if it has no numbers.
    package fileprivate(set) var sum: Double?
    /// The mean of the other field; `nil` if it has no numbers.
    package fileprivate(set) var average: Double?
    /// The least value of the other field; `nil` without one.
    package fileprivate(set) var minimum: FieldValue?
    /// The greatest value of the other field; `nil` without one.
    package fileprivate(set) var maximum: FieldValue?
}

extension Database {
    /// Returns the records of a query in groups, in ascending order of their values.
    ///
    /// Each number is a query of its own. If another client saves between two of them, a new group has its number alone.
    ///
    /// - Parameters:
    ///   - key: The field whose values form the groups.
    ///   - field: The field whose values are added up and compared; `nil` to count the records alone.
    ///   - type: The type of this field; `nil` for a key path, which leads to numbers.
    ///   - query: The query.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the schema has no such field.
    package func groups(
        by key: Record.FieldKey, of field: Record.FieldKey? = nil, type: FieldType? = nil, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [RecordGroup] {
        // A misspelled name would be that of a field without values.
        for name in [key, field].compactMap(\.self) {
            try await validate(Query(recordType: query.recordType, filter: try Filter("%K == nil", name)))
        }
        var groups = try await counts(by: key, matching: query, inZoneWith: zoneID).map {
            RecordGroup(value: $0.value?.fieldValue, count: $0.count)
        }
        guard let field else { return groups }
        var positions: [FieldValue?: Int] = [:]
        for (position, group) in groups.enumerated() { positions[group.value] = position }
        func set(_ value: (any RecordValue)?, _ change: (inout RecordGroup) -> Void) {
            if let position = positions[value?.fieldValue] { change(&groups[position]) }
        }
        if type == nil || type == .int64 || type == .double {
            for (value, sum) in try await sums(of: field, by: key, matching: query, inZoneWith: zoneID) {
                set(value) { $0.sum = sum }
            }
            for (value, average) in try await averages(of: field, by: key, matching: query, inZoneWith: zoneID) {
                set(value) { $0.average = average }
            }
        }
        for (value, minimum) in try await minima(of: field, by: key, matching: query, inZoneWith: zoneID) {
            set(value) { $0.minimum = minimum?.fieldValue }
        }
        for (value, maximum) in try await maxima(of: field, by: key, matching: query, inZoneWith: zoneID) {
            set(value) { $0.maximum = maximum?.fieldValue }
        }
        return groups
    }
}

extension FieldType {
    /// Whether the values of a field have an order, so that groups have a least and a greatest one.
    package var isOrdered: Bool { [.int64, .double, .string, .timestamp].contains(self) }
}

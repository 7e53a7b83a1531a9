import Cabinet

/// Queries: a record type, filters that are joined by AND, and sort keys.
enum CloudKitQuery {
    /// Reads a query.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - fields: The types of its fields, for values without a type.
    ///   - zoneID: The zone of references that name none.
    ///   - mapZone: Returns the zone to use for one of the JSON.
    static func read(
        _ node: JSONNode, recordType: Record.RecordType, fields: [Record.FieldKey: FieldType],
        zoneID: RecordZone.ID?, mapZone: @escaping (RecordZone.ID) -> RecordZone.ID
    ) throws(CabinetError) -> Query {
        var reader = CloudKitValueReader(fields: fields, zoneID: zoneID ?? .default, mapZone: mapZone)
        var filters: [Filter] = []
        for item in try CloudKitEndpoint.optionalItems(node, "filterBy") {
            filters.append(try CloudKitComparator.filter(item, &reader))
        }
        var order: [Sort] = []
        for item in try CloudKitEndpoint.optionalItems(node, "sortBy") { order.append(try sort(item, &reader)) }
        let filter: Filter = filters.count == 1 ? filters[0] : filters.isEmpty ? .constant(true) : .and(filters)
        return Query(recordType: recordType, filter: filter, sortedBy: order)
    }

    private static func sort(_ node: JSONNode, _ reader: inout CloudKitValueReader) throws(CabinetError) -> Sort {
        guard let key = try CloudKitFieldName.read(node, fields: reader.fields) else { throw node.missing("fieldName") }
        let ascending = try node["ascending"]?.bool() ?? true
        guard let origin = node["relativeLocation"] else { return Sort(key, ascending: ascending) }
        let value = origin.has("value") ? try origin.required("value") : origin
        guard case .location(let location)? = try reader.read(value, as: .location) else {
            throw origin.error(expected: "a location")
        }
        return Sort(key, distanceFrom: location, ascending: ascending)
    }

    /// Writes a query.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the part that CloudKit cannot say.
    static func write(
        _ query: Query, by values: CloudKitValueWriter, to writer: inout JSONWriter
    ) throws(CabinetError) {
        let order = Query(recordType: query.recordType, sortedBy: query.sortDescriptors)
        if let refusal = order.validateForCloudKit().first {
            throw CabinetError(
                .invalidArguments, "CloudKit Web Services cannot say '\(refusal.part)': \(refusal.reason)")
        }
        let comparisons = try CloudKitComparator.comparisons(of: query.filter)
        try writer.object { writer throws(CabinetError) in
            writer.member("recordType", query.recordType)
            if !comparisons.isEmpty {
                try writer.member("filterBy", comparisons) { writer, comparison throws(CabinetError) in
                    try comparison.write(by: values, to: &writer)
                }
            }
            if !query.sortDescriptors.isEmpty {
                try writer.member("sortBy", query.sortDescriptors) { writer, sort throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in
                        writer.member("fieldName", CloudKitFieldName.name(of: sort.key))
                        writer.member("ascending", sort.ascending)
                        guard let origin = sort.origin else { return }
                        writer.key("relativeLocation")
                        try values.write(.location(origin), to: &writer)
                    }
                }
            }
        }
    }
}

package import Cabinet

/// The parts of a query plan, from which `QueryPlan.with(_:)` creates a changed plan.
package struct PlanParts {
    package var recordType: Record.RecordType
    package var zoneID: RecordZone.ID?
    package var filter: Filter
    package var order: [Sort]
    package var isOrdered: Bool
    package var position: QueryPosition?
    package var limit: Int
    package var keys: [Record.FieldKey]?
    package var fields: FieldTypes
}

extension QueryPlan {
    /// Returns a plan with changed parts.
    ///
    /// - Throws: The error of the closure, or `CabinetError.Code.invalidArguments` if the plan is not valid.
    package func with(_ change: (inout PlanParts) throws -> Void) throws -> QueryPlan {
        var parts = PlanParts(
            recordType: recordType, zoneID: zoneID, filter: filter, order: order, isOrdered: isOrdered,
            position: position, limit: limit, keys: keys, fields: fields)
        try change(&parts)
        return try QueryPlan(
            recordType: parts.recordType, zoneID: parts.zoneID, filter: parts.filter, order: parts.order,
            isOrdered: parts.isOrdered, position: parts.position, limit: parts.limit, keys: parts.keys,
            fields: parts.fields)
    }
}

extension Query {
    /// Lists what CloudKit's own service would refuse of the query: parts of its filter, and sort keys.
    ///
    /// What it needs besides, an index of each field that the query names, is not part of a query.
    ///
    /// - Parameter fields: What is known of the records' fields; see ``Filter/validateForCloudKit(fields:)``.
    /// - Returns: One objection for each smallest part that would be refused; none if the service would take the query.
    /// - Complexity: O(*n*) in the size of the query.
    public func validateForCloudKit(fields: FieldTypes? = nil) -> [CloudKitIncompatibility] {
        filter.validateForCloudKit(fields: fields)
            + sortDescriptors.compactMap { sort in
                sort.reasonForCloudKit.map { CloudKitIncompatibility(part: .sort(sort), reason: $0) }
            }
    }
}

extension Sort {
    /// Why CloudKit would refuse the sort key; `nil` if it would not.
    fileprivate var reasonForCloudKit: String? {
        if let reason = Filter.Expression.reason(against: key) { return reason }
        return options.isEmpty ? nil : "CloudKit sorts text in one way alone, and takes no options."
    }
}

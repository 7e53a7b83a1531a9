extension Query {
    /// Lists the parts of the query that CloudKit's own service would refuse: parts of its filter, and sort keys.
    ///
    /// CloudKit also needs an index of each field that the query names. Indexes are not part of a query, and are not
    /// checked.
    ///
    /// - Parameter fields: The types of the records' fields; see ``Filter/validateForCloudKit(fields:)``.
    /// - Returns: One incompatibility for each smallest part that would be refused. The array is empty if the service
    ///   would accept the query.
    /// - Complexity: O(*n*) in the size of the query.
    public func validateForCloudKit(fields: FieldTypes? = nil) -> [CloudKitIncompatibility] {
        filter.validateForCloudKit(fields: fields)
            + sortDescriptors.compactMap { sort in
                sort.reasonForCloudKit.map { CloudKitIncompatibility(part: .sort(sort), reason: $0) }
            }
    }
}

extension Sort {
    /// The reason why CloudKit would refuse the sort key, or `nil` if it would not.
    fileprivate var reasonForCloudKit: String? {
        if let reason = Filter.Expression.reason(against: key) { return reason }
        return options.isEmpty ? nil : "CloudKit sorts text in one way alone, and takes no options."
    }
}

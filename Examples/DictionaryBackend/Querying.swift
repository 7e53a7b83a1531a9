import Cabinet

extension View {
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        let records = content.records
        return try plan.page(of: records.values, resolving: plan.resolver(over: records.values))
    }
}

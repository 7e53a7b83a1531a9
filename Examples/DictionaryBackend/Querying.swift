import Cabinet

extension View {
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        let all = content.records.values
        return try plan.page(of: all, resolving: plan.resolver(over: all))
    }
}

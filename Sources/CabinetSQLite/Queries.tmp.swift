import Cabinet
extension Connection {
    func records(matching plan: QueryPlan) throws -> [StoredRecord] { [] }
    func count(matching plan: QueryPlan) throws -> Int { 0 }
}

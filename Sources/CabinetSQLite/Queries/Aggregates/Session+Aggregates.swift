import Cabinet
import SQLSupport

/// Aggregates in SQL where SQL can compute them, and as the core computes them for any store where it cannot.
extension Session {
    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        if let value = try use({ try $0.value(of: aggregate, over: key, matching: plan) }) { return value }
        return try await SQLiteSnapshot(session: self).valueFromPages(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let counts = try use({ try $0.counts(by: key, matching: plan) }) { return counts }
        return try await SQLiteSnapshot(session: self).countsFromPages(by: key, matching: plan)
    }
}

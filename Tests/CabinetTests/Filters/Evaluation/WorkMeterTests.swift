import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("The work of a request is counted, and bounded")
struct WorkMeterTests {
    private static let limit = 1_000_000

    /// Texts whose search by `(a|aa)*b` takes about 400,000 steps each.
    private func records(_ count: Int, text: String = String(repeating: "a", count: 24)) -> [StoredRecord] {
        (0..<count).map { number in
            StoredRecord(
                recordID: RecordID(recordName: "r\(number)"), recordType: "Items", sequenceNumber: Int64(number),
                creationDate: .distantPast, creatorName: "", modificationDate: .distantPast, lastModifierName: "",
                parentName: nil,
                fields: FieldValues(
                    names: FieldNames(["n", "text", "tags"]),
                    values: [.int64(Int64(number)), .string(text), .list(.string(["a", "b"]))], isComplete: true))
        }
    }

    private func plan(_ filter: String, order: [Sort] = []) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", filter: try Filter(filter), order: order,
            fields: ["n": .int64, "text": .string, "tags": .list(of: .string)])
    }

    @Test("A scan of a million records by a simple filter takes a small part of the default")
    func simpleScan() throws {
        let records = records(1_000)
        let filters = [
            "n > 3", "n > 3 AND text BEGINSWITH 'b'", "text LIKE '*b*'", "ANY tags == 'c'", "n IN {1, 2, 3}",
        ]
        for filter in filters {
            let meter = WorkMeter(limit: nil)
            try WorkMeter.$current.withValue(meter) { _ = try plan(filter).count(in: records) }
            #expect(meter.spentUnits >= 2_000, "\(filter)")
            #expect(meter.spentUnits * 1_000 <= Limits.defaultWorkPerRequest / 10, "\(filter)")
        }
        let meter = WorkMeter(limit: nil)
        try WorkMeter.$current.withValue(meter) {
            _ = try plan("text MATCHES 'a+'", order: [Sort("text"), Sort("n")]).page(of: records)
        }
        #expect(meter.spentUnits * 1_000 <= Limits.defaultWorkPerRequest)
    }

    @Test("LIKE counts the characters of short texts, too, so that many of them do not take long unnoticed")
    func wildcards() throws {
        let meter = WorkMeter(limit: nil)
        let pattern = WildcardPattern("*q*b*")
        let text = String(repeating: "a", count: 1_000)
        let isMatch = try WorkMeter.$current.withValue(meter) { try pattern.matches(text) }
        #expect(!isMatch)
        #expect((1_000...1_100).contains(meter.spentUnits))
    }

    @Test("A server's limit allows a scan of a million records by a few comparisons")
    func serverLimit() throws {
        let meter = WorkMeter(limit: nil)
        try WorkMeter.$current.withValue(meter) {
            _ = try plan("n > 3 AND (text BEGINSWITH 'b' OR n < 1)").count(in: records(1_000))
        }
        #expect(meter.spentUnits * 1_000 <= Limits.server.workPerRequest ?? 0)
    }

    @Test("The same work is counted each time")
    func repeated() throws {
        let counts = try (0..<3).map { _ in
            let meter = WorkMeter(limit: nil)
            try WorkMeter.$current.withValue(meter) {
                _ = try plan("text MATCHES '(a|aa)*b'").count(in: records(2))
            }
            return meter.spentUnits
        }
        #expect(Set(counts).count == 1)
    }

    @Test("Exceeding the work limit ends every kind of evaluation", .timeLimit(.minutes(15)))
    func limits() throws {
        let records = records(10)
        func expectExhausted(_ limit: Int, _ body: () throws -> Void) {
            let meter = WorkMeter(limit: limit)
            let error = #expect(throws: CabinetError.self) { try WorkMeter.$current.withValue(meter, operation: body) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("\(limit) units") == true)
            // A regular expression reports after 10,000 steps, and a text is counted as a whole.
            #expect(meter.spentUnits <= limit + 20_000)
        }
        let expensive = try plan("text MATCHES '(a|aa)*b'")
        expectExhausted(Self.limit) { _ = try expensive.count(in: records) }
        expectExhausted(Self.limit) { _ = try expensive.page(of: records) }
        expectExhausted(Self.limit) { _ = try expensive.counts(by: "n", in: records) }
        expectExhausted(Self.limit) { _ = try expensive.value(of: .sum, over: "n", in: records) }
        let sorted = try plan("TRUEPREDICATE", order: [Sort("n", ascending: false)])
        expectExhausted(25) { _ = try sorted.page(of: records) }
        expectExhausted(5) { _ = try plan("n == 1").count(in: records) }
        let long = self.records(1, text: String(repeating: "a", count: 20_000))
        expectExhausted(100_000) {
            _ = try plan("text LIKE '*\(String(repeating: "a", count: 500))b'").count(in: long)
        }
        expectExhausted(10_000) { _ = try plan("text CONTAINS[c] 'é'").count(in: long) }
        expectExhausted(10_000) { _ = try plan("text TOKENMATCHES 'é'").count(in: long) }
        expectExhausted(10_000) { _ = try plan("text SEARCH 'é'").count(in: long) }
        expectExhausted(1_000) { _ = try plan("text CONTAINS 'b'").count(in: long) }
        expectExhausted(500) { _ = try plan("text MATCHES text").count(in: records) }
    }

    /// Records that each refer to all of them.
    private func circle(_ count: Int) -> [StoredRecord] {
        let names = (0..<count).map { "r\($0)" }
        let all = names.map { Reference(recordID: RecordID(recordName: $0), action: .none) }
        return names.enumerated().map { number, name in
            StoredRecord(
                recordID: RecordID(recordName: name), recordType: "Items", sequenceNumber: Int64(number),
                creationDate: .distantPast, creatorName: "", modificationDate: .distantPast, lastModifierName: "",
                parentName: nil,
                fields: FieldValues(
                    names: FieldNames(["n", "others"]), values: [.int64(Int64(number)), .list(.reference(all))],
                    isComplete: true))
        }
    }

    private func plan(
        counting filter: Filter, by field: Record.FieldKey, levels: Int, order: Bool = false
    ) throws -> QueryPlan {
        let count = (1..<levels).reduce(Filter.Expression.referring("Items", by: field, where: filter)) { count, _ in
            .referring("Items", by: field, where: count > 0)
        }
        let fields: [Record.FieldKey: FieldType] = [
            "n": .int64, "others": .list(of: .reference), "unused": .list(of: .reference),
        ]
        return try QueryPlan(
            recordType: "Items", filter: order ? .constant(true) : count == 0,
            order: order ? [Sort(count.description)] : [],
            fields: FieldTypes(of: "Items", in: StoredSchema(recordTypes: ["Items": fields])))
    }

    @Test("Counts within counts end at the limit, in filters and orders", .timeLimit(.minutes(15)))
    func nestedCounts() throws {
        let records = circle(40)
        for order in [false, true] {
            // The innermost filter would be evaluated 4,096,000,000 times.
            let plan = try plan(counting: .field("n") < 0, by: "others", levels: 5, order: order)
            let meter = WorkMeter(limit: Self.limit / 5)
            let error = #expect(throws: CabinetError.self) {
                try WorkMeter.$current.withValue(meter) {
                    _ = try plan.page(of: records, resolving: plan.resolver(over: records))
                }
            }
            #expect(error?.code == .limitExceeded)
            #expect(meter.spentUnits <= Self.limit / 5 + 1_000)
        }
    }

    @Test("A filter of counted records is counted each time that it is compiled, even if it is evaluated for none")
    func compiledCounts() throws {
        let records = circle(40)
        let comparisons = (0..<1_000).map { Filter.field("n") == $0 }
        for levels in 1...2 {
            let plan = try plan(counting: .or(comparisons), by: "unused", levels: levels)
            let meter = WorkMeter(limit: nil)
            let count = try WorkMeter.$current.withValue(meter) {
                try plan.count(in: records, resolving: plan.resolver(over: records))
            }
            #expect(count == 40)
            #expect(meter.spentUnits >= 40 * 2_000)
        }
    }

    @Test("A cancelled request stops at the next record, and within a regular expression")
    func cancellation() throws {
        let meter = WorkMeter(limit: nil)
        let plan = try plan("n >= 0")
        var seen = 0
        let records = records(1_000).lazy.map { record in
            seen += 1
            if seen == 10 { meter.cancel() }
            return record
        }
        let error = #expect(throws: CabinetError.self) {
            try WorkMeter.$current.withValue(meter) { _ = try plan.count(in: records) }
        }
        #expect(error?.code == .operationCancelled)
        #expect(seen == 10)
        let cancelled = WorkMeter(limit: nil)
        let expression = try RegularExpression("(a|aa)*b", options: [])
        cancelled.cancel()
        #expect(throws: CabinetError.self) {
            try WorkMeter.$current.withValue(cancelled) { _ = try expression.matches("aaaa") }
        }
        #expect(cancelled.spentUnits == 0)
    }

    @Test("A backend that evaluates a plan in a task of its own spends the request's units")
    func ownTask() async throws {
        let meter = WorkMeter(limit: 1_000)
        let plan = try WorkMeter.$current.withValue(meter) { try self.plan("text CONTAINS[c] 'a'") }
        let few = records(100)
        let count = try await Task.detached { try plan.count(in: few) }.value
        #expect(count == 100)
        #expect(meter.spentUnits > 100)
        let many = records(1_000)
        let page = Task.detached { try plan.page(of: many) }
        let error = await #expect(throws: CabinetError.self) { try await page.value }
        #expect(error?.code == .limitExceeded)
    }

    @Test("A task that is cancelled while an expression searches gets its error", .timeLimit(.minutes(15)))
    func cancelledTask() async throws {
        // Without a limit, these take 100,000,000 steps and more.
        let filter = try Filter(Array(repeating: "text MATCHES '(a|aa)*b'", count: 300).joined(separator: " OR "))
        var record = Record(recordType: "Items")
        record["text"] = String(repeating: "a", count: 28)
        let task = Task { [record] in try filter.matches(record) }
        task.cancel()
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
    }

    @Test("Expressions that are too large, or read long texts again and again, are refused")
    func patterns() throws {
        func code(_ pattern: String, _ text: String) -> CabinetError.Code? {
            do {
                _ = try RegularExpression(pattern, options: []).matches(text)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(String(repeating: "a", count: 2_000), "a") == nil)
        #expect(code(String(repeating: "a", count: 2_001), "a") == .limitExceeded)
        #expect(code(String(repeating: "\\p{L}", count: 50), "a") == nil)
        #expect(code(String(repeating: "\\p{L}", count: 51), "a") == .limitExceeded)
        let long = String(repeating: "a", count: 10_001)
        for pattern in ["(a*)\\1b", "(?=a)a*", "(?!b)a*", "(?<=a)a*", "(?>a*)", "a*+", "a++", "a?+a*", "a{1,}+"] {
            #expect(code(pattern, long) == .limitExceeded, "\(pattern)")
            #expect(code(pattern, "aa") == nil, "\(pattern)")
        }
        #expect(code("a*", long) == nil)
        // ICU has no memory for so many alternatives, and would report that nothing matches.
        #expect(code("(a|b)*", String(repeating: "a", count: 10_000_000)) == .limitExceeded)
    }

    @Test("A cancelled meter runs the handlers of current and of later waits, but not of past ones")
    func handlers() {
        let meter = WorkMeter(limit: nil)
        let calls = Mutex<[String]>([])
        meter.withCancellationHandler({ calls.withLock { $0.append("over") } }) {}
        meter.withCancellationHandler({ calls.withLock { $0.append("waiting") } }) { meter.cancel() }
        meter.withCancellationHandler({ calls.withLock { $0.append("late") } }) {}
        #expect(calls.withLock(\.self) == ["waiting", "late"])
    }
}

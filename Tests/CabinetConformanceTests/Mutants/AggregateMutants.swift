import Cabinet

extension Mutant {
    /// Backends that compute other values of the records than requested.
    static let aggregating: [Mutant] = [
        Mutant("adds numbers one after the other", caughtBy: ["a sum is exact and independent of the order"]) {
            $0.aggregate = { aggregate, key, records in
                let numbers = records.compactMap { Double(fieldValue: $0.fields[key] ?? .string("")) }
                let sum = numbers.reduce(0, +)
                switch aggregate {
                case .sum: return .double(sum)
                case .average: return numbers.isEmpty ? nil : .double(sum / Double(numbers.count))
                case .minimum, .maximum: return try? aggregate.value(of: records.map { $0.fields[key] })
                }
            }
        },
        Mutant(
            "takes nil for 0",
            caughtBy: ["numbers are summed up", "without a value the sum is 0 and the other aggregates are nil"]
        ) {
            $0.aggregate = { aggregate, key, records in
                try? aggregate.value(of: records.map { $0.fields[key] ?? .int64(0) })
            }
        },
        Mutant(
            "takes the least value for the greatest",
            caughtBy: ["the minimum and the maximum are found", "aggregates follow paths"]
        ) {
            $0.aggregate = { aggregate, key, records in
                try? (aggregate == .maximum ? .minimum : aggregate).value(of: records.map { $0.fields[key] })
            }
        },
        Mutant("counts a hundred values at most", caughtBy: ["records are counted by their values"]) {
            $0.valueCounts = { Array($0.prefix(100)) }
        },
        Mutant("leaves nil out of grouped counts", caughtBy: ["records are counted by their values"]) {
            $0.valueCounts = { $0.filter { $0.value != nil } }
        },
        Mutant(
            "orders grouped counts by number",
            caughtBy: ["records are counted by their values", "aggregates follow paths"]
        ) { $0.valueCounts = { $0.sorted { $0.count < $1.count } } },
        Mutant(
            "leaves out the last field of an unordered page",
            caughtBy: ["values are aggregated group by group", "a group may be longer than a page"]
        ) {
            $0.page = { records, plan in
                guard let keys = plan.keys, keys.count > 1, let last = keys.last, plan.order.isEmpty else {
                    return records
                }
                return records.map { record in
                    var record = record
                    record.fields[last] = nil
                    return record
                }
            }
        },
        Mutant(
            "ends a long query after its first page",
            caughtBy: ["a group may be longer than a page"]
        ) { $0.page = { records, plan in plan.position == nil ? records : [] } },
        Mutant("explains a part of the filter alone", caughtBy: ["an explanation covers the whole filter"]) {
            $0.explanation = { explanation in
                var explanation = explanation
                explanation.evaluated = nil
                return explanation
            }
        },
    ]
}

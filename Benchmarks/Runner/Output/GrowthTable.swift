import Foundation

/// The cost of Cabinet's operations at each size, as a table in Markdown.
struct GrowthTable {
    /// The results of one suite, from the smallest to the largest.
    let results: [Results]

    private struct Operation {
        let title: String
        /// The row that measures it, and the row without it, whose cost is subtracted.
        let row: String
        var without: String?
    }

    private static let operations = [
        Operation(title: "fetch one by ID", row: "c"),
        Operation(title: "save one (NORMAL)", row: "n1"),
        Operation(title: "the records of a list, sorted, 100", row: "d"),
        Operation(title: "page 1 of all, sorted, 100 records", row: "p1"),
        Operation(title: "page N / 100 of it, with a cursor", row: "p2"),
        Operation(title: "changes since a token, per change", row: "h"),
        Operation(title: "cascade of 100, per record", row: "g"),
        Operation(title: "cascade of 10,000, per record", row: "g'"),
        Operation(title: "100 live queries that do not match, per commit", row: "l100", without: "n1"),
        Operation(title: "open the store and fetch one", row: "o"),
        Operation(title: "growth of memory while iterating over all", row: "j, memory"),
    ]

    /// The table; `nil` if there is only one size.
    var text: String? {
        guard results.count > 1, let own = results.first?.suite.own,
            let reference = results.first?.suite.references.last
        else { return nil }
        let sizes = results.map { "N = " + $0.count.formatted(.number.locale(Locale(identifier: "en"))) }
        let suite = results[0].suite.title
        var lines = [
            "### Cost by the number of records: \(suite)", "",
            "The processor time of one operation. Growth is from the smallest to the largest size. The one beside it is that of the same work by \(reference.title), for which",
            "data that does not fit into caches costs more, too.", "",
            "| Operation | \(sizes.joined(separator: " | ")) | growth | growth of \(reference.title) | found by |",
            String(repeating: "|---", count: sizes.count + 4) + "|",
        ]
        let head = lines.count
        for operation in Self.operations {
            guard let costs = costs(operation, own) else { continue }
            let kind = results[0].lines.first { $0.id == operation.row }?.kind ?? .seconds
            let other =
                operation.without == nil && kind == .seconds
                ? self.costs(operation, reference).map(Self.growth) ?? "–" : "–"
            let found = results.last?.explanations[operation.row == "p2" ? "p1" : operation.row] ?? ""
            lines.append(
                "| \(operation.title) | \(costs.map { MarkdownTable.format($0, kind) }.joined(separator: " | ")) "
                    + "| \(Self.growth(costs)) | \(other) | \(found) |")
        }
        return lines.count == head ? nil : lines.joined(separator: "\n")
    }

    /// The cost of an operation for a competitor at each size; `nil` if it was not measured at all of them.
    private func costs(_ operation: Operation, _ competition: Competition) -> [Double]? {
        let costs = results.compactMap { results -> Double? in
            guard let cost = results.cost(of: operation.row, competition) else { return nil }
            guard let without = operation.without else { return cost }
            return results.cost(of: without, competition).map { max(cost - $0, 0) }
        }
        return costs.count == results.count ? costs : nil
    }

    private static func growth(_ costs: [Double]) -> String {
        guard let first = costs.first, let last = costs.last, first > 0 else { return "–" }
        return MarkdownTable.short(last / first) + "×"
    }
}

extension Results {
    fileprivate func cost(of row: String, _ competition: Competition) -> Double? {
        lines.first { $0.id == row }?.figures.median(competition)
    }
}

import Cabinet
import CabinetServer
import CabinetTools

/// The records of a choice in groups of equal values, with their numbers and sums, and links to the records of each.
enum GroupsPart {
    /// The number of groups that are shown.
    private static let limit = 200

    static func html(
        by key: String, of number: String?, _ query: Query, _ choice: RecordChoice, _ visit: Visit
    ) async throws
        -> HTML
    {
        let counts = try await visit.database.counts(by: key, matching: query, inZoneWith: choice.zoneID)
        var sums: [Double] = []
        if let number {
            sums = try await visit.database.sums(of: number, by: key, matching: query, inZoneWith: choice.zoneID)
                .map(\.sum)
        }
        let largest = counts.map(\.count).max() ?? 1
        let rows = counts.prefix(limit).enumerated().map { index, group -> HTML in
            let value = group.value?.fieldValue
            let filter = try? group.value.map { try Filter("%K == %@", key, $0) } ?? Filter("%K == nil", key)
            let name: HTML = value?.cell(in: choice.place) ?? "<span class=\"none\">no value</span>"
            let shown: HTML =
                filter.map { "<a href=\"\(choice.link(adding: "\($0)"))\">\(value.map { $0.plainCell } ?? name)</a>" }
                ?? name
            let sum: HTML = sums.indices.contains(index) ? "<td class=\"number\">\("\(sums[index])")</td>" : .empty
            return """
                <tr><th scope="row">\(shown)</th><td class="number">\(group.count.grouped)</td>\
                <td><meter aria-label="Part of the records" min="0" max="\(largest)" value="\(group.count)">\(group.count)</meter></td>\(sum)</tr>
                """
        }
        let rest = counts.count - rows.count
        return """
            <h2>Groups by \(key.shown(60))</h2>\(.table([key.shown(60), "Records", "Part"] + (number.map { ["Sum of \($0.shown(60))"] } ?? []), numbers: [1, 3], caption: "Groups", rows))
            \(rest > 0 ? "<p class=\"none\">… and \(rest.counted("group")) more</p>" as HTML : .empty)
            """
    }
}

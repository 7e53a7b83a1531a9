import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The records of a choice in groups of equal values, with their numbers, sums, means and limits, and links to the records of each.
enum GroupsPart {
    /// The number of groups that are shown.
    private static let limit = 200

    static func html(
        by key: String, of field: String?, _ query: Query, _ choice: RecordChoice, _ visit: Visit, _ schema: Schema
    ) async throws -> HTML {
        let type = field.flatMap { Self.type(of: $0, schema[choice.type]) }
        let groups = try await visit.database.groups(
            by: key, of: field, type: type, matching: query, inZoneWith: choice.zoneID)
        let largest = groups.map(\.count).max() ?? 1
        let hasNumbers = groups.contains { $0.sum != nil }
        let rows = groups.prefix(limit).map { group -> HTML in
            var cells: [HTML] = []
            if field != nil {
                if hasNumbers { cells += [number(group.sum), number(group.average)] }
                cells += [cell(group.minimum, choice.place), cell(group.maximum, choice.place)]
            }
            return """
                <tr><th scope="row">\(link(group.value, key, choice))</th><td class="number">\(group.count.grouped)</td>\
                <td><meter aria-label="Part of the records" min="0" max="\(largest)" value="\(group.count)">\(group.count)</meter></td>\
                \(cells)</tr>
                """
        }
        func zone(_ key: String) -> String { Self.type(of: key, schema[choice.type]) == .timestamp ? " (UTC)" : "" }
        var titles = [key.shown(60) + zone(key), "Records", "Part"]
        if let field {
            let limits = ["Least", "Greatest"].map { $0 + zone(field) }
            titles += (hasNumbers ? ["Sum of \(field.shown(60))", "Mean"] : []) + limits
        }
        let numbers: Set<Int> = hasNumbers ? [1, 3, 4, 5, 6] : [1]
        let rest = groups.count - rows.count
        return """
            <h2>Groups by \(key.shown(60))</h2>\(.table(titles, numbers: numbers, caption: "Groups", rows))
            \(rest > 0 ? "<p class=\"none\">… and \(rest.counted("group")) more</p>" as HTML : .empty)
            """
    }

    /// The type of a field; the system fields that people choose are dates.
    private static func type(of key: String, _ type: Schema.RecordType) -> FieldType? {
        type.fields[key]?.type ?? SystemField(rawValue: key).map { _ in .timestamp }
    }

    /// The link to the records of a group.
    private static func link(_ value: FieldValue?, _ key: String, _ choice: RecordChoice) -> HTML {
        let filter = try? value.map { try Filter("%K == %@", key, $0.recordValue) } ?? Filter("%K == nil", key)
        let name: HTML = value.map(name) ?? "<span class=\"none\">no value</span>"
        guard let address = filter.map({ choice.link(adding: "\($0)") }), address.utf8.count <= Place.longestLink else {
            return name
        }
        return "<a href=\"\(address)\">\(name)</a>"
    }

    /// The text of the link: a value that shows nothing has a description instead.
    private static func name(_ value: FieldValue) -> HTML {
        guard case .string(let text) = value, text.allSatisfy(\.isWhitespace) else { return value.plainCell }
        return text.isEmpty ? "<span class=\"none\">empty text</span>" : "<span class=\"none\">blank text</span>"
    }

    private static func number(_ value: Double?) -> HTML {
        guard let value else { return "<td></td>" }
        return "<td class=\"number\">\(Int64(exactly: value).map { "\($0)" } ?? "\(value)")</td>"
    }

    private static func cell(_ value: FieldValue?, _ place: Place) -> HTML {
        switch value {
        case nil: "<td></td>"
        case .int64(let value): "<td class=\"number\">\(value)</td>"
        case .double(let value): number(value)
        case let value?: "<td>\(value.cell(in: place))</td>"
        }
    }
}

import Cabinet
import Foundation
import SQLSupport

/// A node of the plan that PostgreSQL reports for a statement with `EXPLAIN (FORMAT JSON)`.
struct PlanNode: Decodable {
    let type: String
    let relation: String?
    let alias: String?
    let index: String?
    let condition: String?
    let children: [PlanNode]

    private enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case relation = "Relation Name"
        case alias = "Alias"
        case index = "Index Name"
        case condition = "Index Cond"
        case children = "Plans"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        relation = try container.decodeIfPresent(String.self, forKey: .relation)
        alias = try container.decodeIfPresent(String.self, forKey: .alias)
        index = try container.decodeIfPresent(String.self, forKey: .index)
        condition = try container.decodeIfPresent(String.self, forKey: .condition)
        children = try container.decodeIfPresent([PlanNode].self, forKey: .children) ?? []
    }

    /// Decodes the plan of a statement.
    static func plan(from json: String) throws -> PlanNode? {
        struct Explained: Decodable {
            let plan: PlanNode

            private enum CodingKeys: String, CodingKey {
                case plan = "Plan"
            }
        }
        return try JSONDecoder().decode([Explained].self, from: Data(json.utf8)).first?.plan
    }

    /// Whether the result is sorted before its first row is returned.
    ///
    /// An incremental sort returns rows as it reads them.
    var isSorted: Bool {
        switch type {
        // A merge of zones sorts only the first records of each zone.
        case "Sort": children.first?.isOfFirstRecords != true
        case "Limit", "Gather", "Gather Merge", "Result", "Subquery Scan", "Incremental Sort":
            children.first?.isSorted ?? false
        default: false
        }
    }

    /// Whether this node reads the first rows of several ordered inputs.
    private var isOfFirstRecords: Bool {
        switch type {
        case "Append": children.allSatisfy(\.isOfFirstRecords)
        case "Subquery Scan": children.first?.isOfFirstRecords ?? false
        case "Limit": !isSorted
        default: false
        }
    }

    /// Returns how the rows of tables are found, in this node and its children.
    ///
    /// - Parameter table: The table that the parent node scans, and its alias in the statement.
    func accesses(
        in catalog: Catalog, of table: (relation: String, alias: String)? = nil
    ) -> [QueryExplanation.Access] {
        var table = table
        if let relation { table = (relation, alias ?? relation) }
        var found: [QueryExplanation.Access] = []
        if type == "Seq Scan" { found.append(.scan) }
        if let index {
            let known = catalog.tables.first { $0.name == table?.relation }
            found.append(.index(name: index, fields: known.map { fields(of: $0, alias: table?.alias) } ?? []))
        }
        let accesses = found + children.flatMap { $0.accesses(in: catalog, of: table) }
        // Several ranges of one index are one access.
        return type == "BitmapOr" ? accesses.reduce(into: []) { if $0.last != $1 { $0.append($1) } } : accesses
    }

    /// Returns the fields whose values are the key of an index scan.
    private func fields(of table: Table, alias: String?) -> [Record.FieldKey] {
        guard let condition else { return [] }
        var known: [String: [Record.FieldKey]] = [:]
        for column in table.columns { known[column.name] = [column.field] }
        for field in SystemField.allCases { known[String(field.column.dropFirst().dropLast())] = [field.rawValue] }
        known["___words"] = table.wordFields
        var fields: [Record.FieldKey] = []
        for (qualifier, name) in PlanCondition(condition).columns where qualifier == nil || qualifier == alias {
            for field in known[name] ?? [] where !fields.contains(field) { fields.append(field) }
        }
        return fields
    }
}

/// The columns in a condition of an `EXPLAIN` plan.
struct PlanCondition {
    /// The columns, in their order, with the table aliases that qualify them.
    private(set) var columns: [(qualifier: String?, name: String)] = []

    init(_ text: String) {
        var qualifier: String?
        // By scalars: a quotation mark beside a combining mark is a part of another letter.
        var rest = Substring(text).unicodeScalars
        while let first = rest.first {
            switch first {
            case "'":
                _ = Self.quoted(&rest, by: "'")
            case "\"":
                note(Self.quoted(&rest, by: "\""), &qualifier, &rest)
            case "a"..."z", "_":
                let name = rest.prefix { Self.isPartOfName($0) || $0 == "_" || $0 == "$" }
                rest = rest.dropFirst(name.count)
                note(String(name), &qualifier, &rest)
            case ":":
                // The name of a type follows, as a cast.
                rest = rest.drop { $0 == ":" }.drop {
                    Self.isPartOfName($0) || $0 == " " || $0 == "[" || $0 == "]"
                }
            default:
                rest = rest.dropFirst()
            }
        }
    }

    private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }

    private mutating func note(_ name: String, _ qualifier: inout String?, _ rest: inout Substring.UnicodeScalarView) {
        if rest.first == "." {
            qualifier = name
            rest = rest.dropFirst()
            return
        }
        // A name before a parenthesis is a function.
        if rest.first != "(" { columns.append((qualifier, name)) }
        qualifier = nil
    }

    /// Reads a quoted name or text, in which a doubled quotation mark stands for one.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView, by mark: Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.first {
            rest = rest.dropFirst()
            if scalar == mark {
                guard rest.first == mark else { break }
                rest = rest.dropFirst()
            }
            text.append(scalar)
        }
        return String(text)
    }
}

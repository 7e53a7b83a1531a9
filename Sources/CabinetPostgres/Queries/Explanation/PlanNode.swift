import Cabinet
import Foundation
import SQLSupport

/// A step of the plan that PostgreSQL has made for a statement, as `EXPLAIN (FORMAT JSON)` tells it.
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

    /// The plan of a statement.
    static func plan(from json: String) throws -> PlanNode? {
        struct Explained: Decodable {
            let plan: PlanNode

            private enum CodingKeys: String, CodingKey {
                case plan = "Plan"
            }
        }
        return try JSONDecoder().decode([Explained].self, from: Data(json.utf8)).first?.plan
    }

    /// Whether what is found is sorted before the first row is given.
    ///
    /// Rows that only need sorting where their first keys are equal come one after the other.
    var isSorted: Bool {
        switch type {
        // The first records of each zone are put in order, not all of them.
        case "Sort": children.first?.isOfFirstRecords != true
        case "Limit", "Gather", "Gather Merge", "Result", "Subquery Scan", "Incremental Sort":
            children.first?.isSorted ?? false
        default: false
        }
    }

    /// Whether this step gets some first rows of each of several orders.
    private var isOfFirstRecords: Bool {
        switch type {
        case "Append": children.allSatisfy(\.isOfFirstRecords)
        case "Subquery Scan": children.first?.isOfFirstRecords ?? false
        case "Limit": !isSorted
        default: false
        }
    }

    /// How the rows of tables are found, in this step and those that it is made of.
    ///
    /// - Parameter table: The table, and its name in the statement, that the step around is about.
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
        return found + children.flatMap { $0.accesses(in: catalog, of: table) }
    }

    /// The fields by whose values an index is entered.
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

/// Reads the columns that a condition in PostgreSQL's own words names.
struct PlanCondition {
    /// The columns, in their order, and the tables that stand before them.
    private(set) var columns: [(qualifier: String?, name: String)] = []

    init(_ text: String) {
        var qualifier: String?
        var rest = Substring(text)
        while let first = rest.first {
            switch first {
            case "'":
                _ = Self.quoted(&rest, by: "'")
            case "\"":
                note(Self.quoted(&rest, by: "\""), &qualifier, &rest)
            case "a"..."z", "_":
                let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
                rest = rest.dropFirst(name.count)
                note(String(name), &qualifier, &rest)
            case ":":
                // The name of a type follows.
                rest = rest.drop { $0 == ":" }.drop {
                    $0.isLetter || $0.isNumber || $0 == " " || $0 == "[" || $0 == "]"
                }
            default:
                rest = rest.dropFirst()
            }
        }
    }

    private mutating func note(_ name: String, _ qualifier: inout String?, _ rest: inout Substring) {
        if rest.first == "." {
            qualifier = name
            rest = rest.dropFirst()
            return
        }
        // What stands before a parenthesis is a function.
        if rest.first != "(" { columns.append((qualifier, name)) }
        qualifier = nil
    }

    /// Takes what stands between two marks, in which a mark is written twice.
    private static func quoted(_ rest: inout Substring, by mark: Character) -> String {
        var text = ""
        rest = rest.dropFirst()
        while let character = rest.first {
            rest = rest.dropFirst()
            if character == mark {
                guard rest.first == mark else { break }
                rest = rest.dropFirst()
            }
            text.append(character)
        }
        return text
    }
}

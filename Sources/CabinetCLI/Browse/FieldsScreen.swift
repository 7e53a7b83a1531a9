import Cabinet
import CabinetTools
import TerminalProgram

/// The fields and indexes of a record type.
struct FieldsScreen: BrowseScreen {
    private let recordType: String
    private var fields: Schema.RecordType
    private var list = RowList<String>()

    init(recordType: String, fields: Schema.RecordType) {
        self.recordType = recordType
        self.fields = fields
        list.update(fields.shownFields.map(\.0))
    }

    var title: String { "\(recordType.printable): fields" }
    var status: String { list.status }

    var keys: [(key: String, action: String)] {
        [("a", "add a field"), ("i", "change its indexes"), ("n", "rename"), ("d", "drop"), ("Esc", "back")]
    }

    mutating func load() -> [BrowseStep] { [.request(.schema)] }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if list.handle(key) { return [] }
        switch key {
        case .character("a"): return [.ask(.line("New field, as in year INT64 QUERYABLE SORTABLE:", for: .definition))]
        case .character("i"), .enter:
            guard let key = list.selection, let field = fields[key] else { return [] }
            return [.ask(.line("Field:", "\(key) \(field)", for: .definition))]
        case .character("n"):
            return list.selection.map { [.ask(.newName(of: SchemaPart(recordType, $0)))] } ?? []
        case .character("d"), .delete:
            return list.selection.map { [.request(.losses(SchemaPart(recordType, $0)))] } ?? []
        case _ where key.leaves: return [.close]
        default:
            if let row = key.clickedRow { _ = list.select(visible: row) }
            return []
        }
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) -> [BrowseStep] {
        if purpose != .definition { return BrowsePrompt.request(text, to: purpose).map { [.request($0)] } ?? [] }
        return [.request(.define("RECORD TYPE \"\(recordType)\" (\(text));"))]
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .schema(let schema):
            fields = schema[recordType]
            list.update(fields.shownFields.map(\.0))
            return []
        case .losses(let part, let count): return [.ask(.drop(part, losing: count))]
        case .failed(_, let reason): return [.show(reason)]
        default: return []
        }
    }

    mutating func body(rows: Int, columns: Int) -> [StyledText] {
        list.resize(toHeight: rows - 1)
        if list.visible.isEmpty { return ["  No fields. Add one with a."] }
        return Self.lines(of: fields, columns: columns, visible: list.visible, selected: list.position)
    }

    /// The fields as a table.
    static func lines(
        of type: Schema.RecordType, columns: Int, visible: Range<Int>? = nil, selected: Int? = nil
    ) -> [StyledText] {
        let fields = type.shownFields
        let range = visible ?? fields.indices
        let rows = range.map { index -> [String] in
            let (key, field) = fields[index]
            let shared = [("INDEX", type.indexes), ("UNIQUE", type.uniqueKeys)].flatMap { word, lists in
                lists.filter { $0.contains(key) }.map { "\(word) (\($0.joined(separator: ", ")))" }.sorted()
            }
            return [
                key.printable, "\(field.type)",
                ([field.options.description] + shared).filter { !$0.isEmpty }.joined(separator: " ").printable,
            ]
        }
        return BrowseTable([["field", "type", "indexes"]] + rows, columns: columns)
            .lines(selected: selected.map { $0 - range.lowerBound })
    }
}

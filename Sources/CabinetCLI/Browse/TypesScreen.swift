import Cabinet
import CabinetTools
import TerminalProgram

/// The record types with their numbers of records, and the fields and indexes of the selected one.
struct TypesScreen: BrowseScreen {
    private let zoneID: RecordZone.ID?
    private var schema: Schema?
    private var counts: [String: Int] = [:]
    private var list = RowList<String>()

    /// - Parameter zoneID: The zone whose records are counted and shown; `nil` for all zones.
    init(zoneID: RecordZone.ID? = nil) {
        self.zoneID = zoneID
    }

    var title: String { zoneID.map { "Zone \($0.zoneName.printable)" } ?? "Record types" }

    var status: String { list.status }

    var keys: [(key: String, action: String)] {
        [
            ("Enter", "open"), ("f", "fields"), ("a", "add"), ("n", "rename"), ("d", "drop"), ("z", "zones"),
            ("c", "feed"), ("D", "deploy"), ("q", "quit"),
        ]
    }

    mutating func load() -> [BrowseStep] { [.request(.schema)] }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if list.handle(key) { return [] }
        if let row = key.clickedRow { return list.select(visible: row) == true ? open() : [] }
        switch key {
        case _ where key.opens: return open()
        case .character("f"):
            guard let type = list.selection, let schema else { return [] }
            return [.open(FieldsScreen(recordType: type, fields: schema[type]))]
        case .character("a"): return [.ask(.line("New type, as in Coin (name STRING QUERYABLE):", for: .definition))]
        case .character("n"): return list.selection.map { [.ask(.newName(of: SchemaPart($0)))] } ?? []
        case .character("d"), .delete:
            return list.selection.map { [.request(.losses(SchemaPart($0)))] } ?? []
        case .character("z"): return [.open(ZonesScreen(schema: schema ?? Schema()))]
        case .character("c"): return [.open(ChangesScreen(zoneID: zoneID ?? .default, schema: schema ?? Schema()))]
        case .character("D"): return [.ask(.line("Deploy this schema to the store:", for: .storeToCompare))]
        case .character("r"): return load()
        // On the first screen, only q quits: Escape may have been pressed once too often.
        case _ where zoneID == nil ? key == .character("q") : key.leaves: return [.close]
        default: return []
        }
    }

    private func open() -> [BrowseStep] {
        guard let type = list.selection, let schema else { return [] }
        return [.open(RecordsScreen(RecordSelection(type, zoneID: zoneID), schema: schema))]
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) -> [BrowseStep] {
        switch purpose {
        case .definition:
            return [.request(.define(text.contains("(") ? "RECORD TYPE \(text);" : "RECORD TYPE \(text) ();"))]
        case .storeToCompare: return text.isEmpty ? [] : [.open(DeployScreen(store: text))]
        default: return BrowsePrompt.request(text, to: purpose).map { [.request($0)] } ?? []
        }
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .schema(let schema):
            self.schema = schema
            let types = schema.shownTypes
            list.update(types)
            return types.map { .request(.count(RecordSelection($0, zoneID: zoneID))) }
        case .count(let selection, let count): counts[selection.query.recordType] = count
        case .losses(let part, let count): return [.ask(.drop(part, losing: count))]
        case .failed(_, let reason): return [.show(reason)]
        default: break
        }
        return []
    }

    mutating func body(rows: Int, columns: Int) -> [StyledText] {
        guard let schema else { return ["  Loading…"] }
        if schema.recordTypes.isEmpty { return ["  No record types. Add one with a, or save a record."] }
        let isWide = columns >= 100
        let left = isWide ? columns / 2 - 2 : columns
        list.resize(toHeight: isWide ? rows - 1 : max(1, rows / 2 - 2))
        let types = list.visible.isEmpty ? [] : schema.shownTypes
        let texts = list.visible.map { index -> [String] in
            let fields = schema[types[index]].shownFields
            let indexes = fields.reduce(schema[types[index]].indexes.count) {
                $0 + $1.1.options.description.split(separator: " ").count
            }
            return [
                types[index].printable, counts[types[index]].map { "\($0)" } ?? "…", "\(fields.count)", "\(indexes)",
            ]
        }
        let table = BrowseTable([["type", "records", "fields", "indexes"]] + texts, columns: left)
        let lines = table.lines(selected: list.position - list.visible.lowerBound)
        let details = list.selection.map {
            FieldsScreen.lines(of: schema[$0], columns: isWide ? columns - left - 2 : columns)
        }
        guard isWide else { return lines + ["", ""] + (details ?? []).prefix(max(0, rows - lines.count - 2)) }
        return (0..<rows).map { row in
            let side: StyledText = details.flatMap { $0.indices.contains(row) ? $0[row] : nil } ?? ""
            return (row < lines.count ? lines[row] : "").fitted(toColumns: left) + "  " + side
        }
    }
}

import Cabinet
import CabinetTools
import TerminalProgram

/// The zones of the database.
struct ZonesScreen: BrowseScreen {
    private let schema: Schema
    private var zones: [RecordZone.ID]?
    private var list = RowList<RecordZone.ID>()

    init(schema: Schema) {
        self.schema = schema
    }

    var title: String { "Zones" }
    var status: String { list.status }

    var keys: [(key: String, action: String)] {
        [("Enter", "record types"), ("c", "changes"), ("a", "add"), ("d", "delete"), ("Esc", "back")]
    }

    mutating func load() -> [BrowseStep] { [.request(.zones)] }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if list.handle(key) { return [] }
        if let row = key.clickedRow { return list.select(visible: row) == true ? open() : [] }
        switch key {
        case _ where key.opens: return open()
        case .character("c"): return list.selection.map { [.open(ChangesScreen(zoneID: $0, schema: schema))] } ?? []
        case .character("a"): return [.ask(.line("Name of the new zone:", for: .zoneName))]
        case .character("d"), .delete:
            guard let zone = list.selection else { return [] }
            return [.ask(.confirm("Delete the zone \(zone.zoneName.printable) and its records?", for: .deletion))]
        case _ where key.leaves: return [.close]
        default: return []
        }
    }

    private func open() -> [BrowseStep] {
        list.selection.map { [.open(TypesScreen(zoneID: $0))] } ?? []
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) -> [BrowseStep] {
        switch purpose {
        case .zoneName: text.isEmpty ? [] : [.request(.addZone(text))]
        case .deletion: list.selection.map { [.request(.deleteZone($0))] } ?? []
        default: []
        }
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .zones(let new):
            zones = new
            list.update(new)
            return []
        case .failed(_, let reason): return [.show(reason)]
        default: return []
        }
    }

    mutating func body(rows: Int, columns: Int) -> [StyledText] {
        guard let zones else { return ["  Loading…"] }
        list.resize(toHeight: rows - 1)
        let texts = list.visible.map { [zones[$0].zoneName.printable, zones[$0].ownerName.printable] }
        return BrowseTable([["zone", "owner"]] + texts, columns: columns)
            .lines(selected: list.position - list.visible.lowerBound)
    }
}

import Cabinet
import CabinetTools
import TerminalProgram

/// The last changes of a zone, the newest first, which grows while other programs change the store.
struct ChangesScreen: BrowseScreen {
    private let zoneID: RecordZone.ID
    private let schema: Schema
    private var changes: [BrowseChange]?
    private var isRunning = false
    private var list = RowList<BrowseChange>()

    init(zoneID: RecordZone.ID, schema: Schema) {
        self.zoneID = zoneID
        self.schema = schema
    }

    var title: String { "Changes in \(zoneID.zoneName.printable)" }
    var status: String { list.status }
    var keys: [(key: String, action: String)] { [("Enter", "open the record"), ("Esc", "back")] }

    mutating func load() -> [BrowseStep] {
        defer { isRunning = true }
        return isRunning ? [] : [.request(.changes(zoneID))]
    }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if list.handle(key) { return [] }
        if let row = key.clickedRow { return list.select(visible: row) == true ? open() : [] }
        switch key {
        case _ where key.opens: return open()
        case _ where key.leaves: return [.close]
        default: return []
        }
    }

    private func open() -> [BrowseStep] {
        guard let change = list.selection, change.date != nil else { return [] }
        return [.open(RecordScreen(change.recordID, recordType: change.recordType, schema: schema))]
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .changes(let new):
            // The feed has each record once, at its last change.
            let ids = Set(new.map(\.recordID))
            changes = Array(
                (new.reversed() + (changes ?? []).filter { !ids.contains($0.recordID) }).prefix(BrowseStore.changeLimit)
            )
            list.update(changes ?? [])
            return []
        case .failed(_, let reason): return [.show(reason)]
        default: return []
        }
    }

    mutating func body(rows: Int, columns: Int) -> [StyledText] {
        guard let changes else { return ["  Loading…"] }
        list.resize(toHeight: rows - 1)
        if changes.isEmpty { return ["  No changes yet. They appear here as they happen."] }
        let texts = list.visible.map { row in
            [
                changes[row].date == nil ? "deleted" : "saved", changes[row].date ?? "",
                changes[row].recordType.printable, changes[row].recordID.recordName.printable,
            ]
        }
        return BrowseTable([["change", "date", "type", "record"]] + texts, columns: columns)
            .lines(selected: list.position - list.visible.lowerBound)
    }
}

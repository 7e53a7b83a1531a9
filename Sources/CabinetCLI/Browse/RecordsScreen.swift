import Cabinet
import CabinetTools
import TerminalProgram

/// The records of a type, page by page, with a filter and an order.
struct RecordsScreen: BrowseScreen {
    private var selection: RecordSelection
    private let schema: Schema
    private let columns: [String]
    private var pages = RecordPages()
    private var total: Int?
    private var filterText: String
    private var sortText = ""

    init(_ selection: RecordSelection, schema: Schema) {
        self.selection = selection
        self.schema = schema
        columns = schema[selection.query.recordType].columns
        filterText = selection.query.filter == .constant(true) ? "" : "\(selection.query.filter)"
    }

    private var recordType: String { selection.query.recordType }

    var title: String {
        let filter = filterText.isEmpty ? "" : " where \(filterText.printable)"
        return recordType.printable + filter + (sortText.isEmpty ? "" : " by \(sortText.printable)")
    }

    var status: String {
        if pages.isSeekingEnd { return "searching for the end…" }
        guard pages.count > 0 else { return "" }
        return "\(pages.position + 1) of \(total.map { "\($0)" } ?? "…")"
    }

    var keys: [(key: String, action: String)] {
        [
            ("Enter", "open"), ("/", "filter"), ("s", "sort"), ("a", "add"), ("d", "delete"), ("Space", "page"),
            ("Esc", "back"),
        ]
    }

    mutating func load() -> [BrowseStep] {
        pages.reload()
        return [.request(.count(selection))] + missing()
    }

    private mutating func missing() -> [BrowseStep] {
        pages.missing(total: total).map { request in
            switch request {
            case .rows(let chunk, let start):
                .request(.rows(selection, keys: columns, chunk: chunk, after: start))
            case .start(let chunk, let rowsToEnd):
                .request(.start(selection, chunk: chunk, rowsToEnd: rowsToEnd))
            }
        }
    }

    /// Begins again with another filter or order.
    private mutating func restart() -> [BrowseStep] {
        (pages, total) = (RecordPages(), nil)
        return [.request(.cancelEarlier)] + load()
    }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if pages.handle(key) { return missing() }
        if let row = key.clickedRow { return pages.select(visible: row) == true ? open() : [] }
        switch key {
        case _ where key.opens: return open()
        case .character("/"): return [.ask(.line("Filter:", filterText, for: .filter))]
        case .character("s"): return [.ask(.line("Sort by, as in name,-year:", sortText, for: .sort))]
        case .character("a"): return [.ask(.line("Name of the new record (empty: a new ID):", for: .recordName))]
        case .character("d"), .delete:
            guard let record = pages.selected else { return [] }
            return [.ask(.confirm("Delete \(record.recordID.recordName.printable)?", for: .deletion))]
        case .character("r"): return restart()
        case _ where key.leaves: return [.close]
        default: return []
        }
    }

    private func open() -> [BrowseStep] {
        guard let record = pages.selected else { return [] }
        return [.open(RecordScreen(record.recordID, recordType: recordType, schema: schema))]
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) throws -> [BrowseStep] {
        var changed = selection.query
        switch purpose {
        case .filter:
            do {
                changed.filter = text.isEmpty ? .constant(true) : try Filter(text)
                try changed.validate(against: schema)
            } catch { throw CommandError(describing: error) }
            (selection.query, filterText) = (changed, text)
            return restart()
        case .sort:
            changed.sortDescriptors = Sort.list(text)
            do { try changed.validate(against: schema) } catch { throw CommandError(describing: error) }
            (selection.query, sortText) = (changed, text)
            return restart()
        case .deletion: return pages.selected.map { [.request(.delete($0.recordID))] } ?? []
        case .recordName:
            let zoneID = selection.zoneID ?? .default
            let id = text.isEmpty ? RecordID(zoneID: zoneID) : RecordID(recordName: text, zoneID: zoneID)
            return [.open(RecordScreen(new: Record(recordType: recordType, recordID: id), schema: schema))]
        default: return []
        }
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .rows(selection, let chunk, let records, let next):
            pages.take(records, chunk: chunk, next: next)
            return missing()
        case .start(selection, let chunk, let start):
            pages.take(start: start, chunk: chunk)
            return missing()
        case .count(selection, let count):
            total = count
            pages.take(total: count)
            return missing()
        case .deleted: return load() + [.show("The record is deleted.")]
        case .failed(let request, let reason):
            switch request {
            case .rows(_, _, let chunk, _), .start(_, let chunk, _): pages.fail(chunk: chunk)
            case .count: pages.stopSeeking()
            default: break
            }
            return [.show(reason)]
        default: break
        }
        return []
    }

    mutating func body(rows: Int, columns width: Int) -> [StyledText] {
        pages.resize(toHeight: rows - 1)
        guard pages.isLoaded else { return ["  Loading…"] }
        if pages.count == 0 { return ["  No records."] }
        let texts = pages.visible.map { row -> [String] in
            guard let record = pages[row] else { return ["…"] }
            return [record.recordID.recordName.printable]
                + self.columns.map { key in
                    record.fields[key].map { RecordJSON.json($0) { _ in nil }.cell } ?? ""
                }
        }
        return BrowseTable([["record"] + self.columns.map(\.printable)] + texts, columns: width)
            .lines(selected: pages.position - pages.visible.lowerBound)
    }
}

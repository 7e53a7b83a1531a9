import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// A record with its fields, the records that it refers to, and those that refer to it.
struct RecordScreen: BrowseScreen {
    private let recordID: RecordID
    private let recordType: String
    private let schema: Schema
    /// The record with the person's changes; `nil` while it is loaded.
    private var record: Record?
    private var isNew = false
    private var counts: [RecordRow: Int] = [:]
    private var rows: [RecordRow] = []
    private var list = RowList<RecordRow>()

    init(_ recordID: RecordID, recordType: String = "", schema: Schema) {
        self.recordID = recordID
        self.recordType = recordType
        self.schema = schema
    }

    /// Creates a screen for a record that is not saved yet.
    init(new record: Record, schema: Schema) {
        self.init(record.recordID, recordType: record.recordType, schema: schema)
        self.record = record
        isNew = true
        update()
    }

    private var isChanged: Bool { isNew || record?.changedKeys().isEmpty == false }

    var title: String { recordID.recordName.printable }
    var status: String { isChanged ? "not saved" : record?.recordType.printable ?? "" }

    var keys: [(key: String, action: String)] {
        [
            ("Enter", "follow"), ("e", "edit"), ("+", "field"), ("x", "clear"), ("w", "save"), ("d", "delete"),
            ("Esc", "back"),
        ]
    }

    mutating func load() -> [BrowseStep] {
        // A change elsewhere does not replace typed values; saving reports the conflict.
        if isChanged { return [] }
        return [.request(.record(recordID))]
            + schema.referenceFields.compactMap { selection(of: $0).map { .request(.count($0)) } }
    }

    /// The records that a row of referrers stands for.
    private func selection(of row: RecordRow) -> RecordSelection? {
        guard case .referrers(let type, let key, let isList) = row else { return nil }
        let reference = Reference(recordID: recordID, action: .none)
        guard let filter = try? Filter(isList ? "%K CONTAINS %@" : "%K == %@", key, reference) else { return nil }
        // References stay in their zone, and a record of another one may have the same name.
        var selection = RecordSelection(type, zoneID: recordID.zoneID)
        selection.query.filter = filter
        return selection
    }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        if list.handle(key) { return [] }
        if let row = key.clickedRow { return list.select(visible: row + 1) == true ? open() : [] }
        switch key {
        case _ where key.opens: return open()
        case .character("e"): return edit()
        case .character("+"): return [.ask(.line("Name of the field:", for: .fieldName))]
        case .character("x"), .delete:
            if case .field(let key)? = list.selection { record?[key] = nil }
            update()
            return []
        case .character("w"), .control("s"):
            return record.map { isChanged ? [.request(.save($0))] : [.show("Nothing was changed.")] } ?? []
        case .character("d"):
            return isNew ? [] : [.ask(.confirm("Delete \(recordID.recordName.printable)?", for: .deletion))]
        case .character("r"):
            (record, isNew) = (nil, isNew)
            return isNew ? [.close] : load()
        case _ where key.leaves:
            return isChanged ? [.ask(.confirm("Discard what you typed?", for: .discard))] : [.close]
        default: return []
        }
    }

    /// Follows the reference of the selected row, or edits its field.
    private func open() -> [BrowseStep] {
        switch list.selection {
        case .parent?: return record?.parent.map { follow($0) } ?? []
        case .field(let key)?:
            if case .reference(let reference)? = record?.fields[key] { return follow(reference) }
            return edit()
        case .element(let key, let index)?:
            guard case .list(.reference(let references))? = record?.fields[key],
                references.indices.contains(index)
            else { return [] }
            return follow(references[index])
        case .referrers?:
            guard let row = list.selection, let selection = selection(of: row) else { return [] }
            return [.open(RecordsScreen(selection, schema: schema))]
        case .system?, nil: return []
        }
    }

    private func follow(_ reference: Reference) -> [BrowseStep] {
        [.open(RecordScreen(reference.recordID, schema: schema))]
    }

    private func edit() -> [BrowseStep] {
        guard case .field(let key)? = list.selection, let record else { return [] }
        return [.ask(.line("\(key.printable):", record.fields[key].map(\.typed) ?? "", for: .value(key)))]
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) throws -> [BrowseStep] {
        switch purpose {
        case .fieldName: return text.isEmpty ? [] : [.ask(.line("\(text.printable):", for: .value(text)))]
        case .value(let key):
            guard var changed = record else { return [] }
            let type = schema[changed.recordType]
            let value = try JSONValue(typed: text, of: key, as: type[key]?.type ?? changed.fields[key]?.fieldType)
            let member = JSONValue.Member(key: key, value: value)
            try RecordJSON.fill(
                &changed, from: ["fields": .object([member])], files: .any(relativeTo: .currentDirectory()),
                type: type)
            record = changed
            update()
            list.selectLater(.field(key))
            list.update(rows)
            return []
        case .deletion: return [.request(.delete(recordID))]
        case .discard: return [.close]
        default: return []
        }
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .record(let new) where !isChanged:
            record = new
            update()
        case .saved(let new):
            (record, isNew) = (new, false)
            update()
            return [.show("Saved.")] + load()
        case .deleted: return [.close, .show("The record is deleted.")]
        case .count(let selection, let count):
            if let row = schema.referenceFields.first(where: { self.selection(of: $0) == selection }) {
                counts[row] = count
                update()
            }
        // A record that was deleted elsewhere closes its screen, and so does a reference to nothing.
        case .failed(.record, let reason): return [.close, .show(reason)]
        case .failed(_, let reason): return [.show(reason)]
        default: break
        }
        return []
    }

    private mutating func update() {
        guard let record else { return }
        rows = isNew ? [] : [.system("type"), .system("created"), .system("modified")]
        if record.parent != nil { rows.append(.parent) }
        let known = schema[record.recordType].shownFields.map(\.0).filter { SystemField(rawValue: $0) == nil }
        for key in Set(known).union(record.fields.keys).sorted() {
            rows.append(.field(key))
            if case .list(.reference(let references))? = record.fields[key] {
                rows += references.indices.map { .element(key, $0) }
            }
        }
        rows += counts.filter { $0.value > 0 }.map(\.key).sorted { "\($0)" < "\($1)" }
        list.update(rows)
    }

    mutating func body(rows height: Int, columns: Int) -> [StyledText] {
        guard record != nil else { return ["  Loading…"] }
        list.resize(toHeight: height)
        let table = BrowseTable([[]] + list.visible.map { cells(rows[$0]) }, columns: columns)
        return Array(table.lines(selected: list.position - list.visible.lowerBound).dropFirst())
    }

    private func cells(_ row: RecordRow) -> [String] {
        guard let record else { return [] }
        switch row {
        case .system("type"): return ["type", record.recordType.printable]
        case .system("created"): return ["created", stamp(record.creationDate, record.creatorUserRecordID)]
        case .system: return ["modified", stamp(record.modificationDate, record.lastModifiedUserRecordID)]
        case .parent: return ["parent", "→ \(record.parent?.recordID.recordName.printable ?? "")"]
        case .field(let key):
            let mark = record.changedKeys().contains(key) ? "*" : ""
            switch record.fields[key] {
            case .reference(let reference)?:
                return [key.printable + mark, "→ \(reference.recordID.recordName.printable)"]
            case .list(.reference(let list))?:
                return [key.printable + mark, list.count.counted("reference")]
            case let value: return [key.printable + mark, value.map { RecordJSON.json($0) { _ in nil }.cell } ?? "–"]
            }
        case .element(let key, let index):
            guard case .list(.reference(let list))? = record.fields[key], list.indices.contains(index) else {
                return []
            }
            return ["", "→ \(list[index].recordID.recordName.printable)"]
        case .referrers(let type, let key, _):
            return ["← \(type).\(key)".printable, (counts[row] ?? 0).counted("record")]
        }
    }

    private func stamp(_ date: Date?, _ user: RecordID?) -> String {
        "\(date.map(RecordJSON.shown) ?? "–") by \(user?.recordName.printable ?? "–")"
    }
}

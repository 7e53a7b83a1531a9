import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The form that changes a record: a text for each field, and its text before.
struct RecordForm {
    /// A field in the form.
    struct Row {
        let key: String
        let type: FieldType?
        /// The text of the value when the page was shown.
        let old: String
        /// The text that the person has typed.
        var new: String

        var isChanged: Bool { isChanged(to: new) }
        var typeName: String { type.map { $0.scalar == .timestamp ? "\($0), UTC" : "\($0)" } ?? "" }
        /// Whether another text has other scalars than the one that the page showed.
        func isChanged(to text: String) -> Bool { !old.hasSameScalars(as: text) }
        /// Whether the field has a text: the bytes of assets and of encrypted values are not typed.
        var isTyped: Bool { type.map { $0.scalar != .asset && !$0.isEncrypted } ?? true }
    }

    let recordType: Record.RecordType
    private(set) var rows: [Row]
    private(set) var parent: Row
    /// The field that the person has added, while the form cannot take it.
    private(set) var other: (key: String, value: String) = ("", "")
    var tag: String
    let type: Schema.RecordType
    /// The reason for which the record could not be saved.
    var failure: CabinetError?
    /// The number of lines of a text that has one, which is more for a new record.
    var lines = 1
    /// The files that the person has chosen for assets.
    private(set) var files = KeptFiles()

    /// Creates the form of a record, with its values.
    init(_ record: Record, _ type: Schema.RecordType) {
        self.type = type
        recordType = record.recordType
        tag = record.recordChangeTag ?? ""
        let known = type.shownFields.map(\.0).filter { SystemField(rawValue: $0) == nil }
        rows = Set(known).union(record.fields.keys).sorted().map { key in
            let text = record.fields[key]?.typed ?? ""
            return Row(key: key, type: type.fields[key]?.type ?? record.fields[key]?.fieldType, old: text, new: text)
        }
        let name = record.parent?.recordID.recordName ?? ""
        parent = Row(key: "parent", type: nil, old: name, new: name)
    }

    /// Creates the form that a person has sent.
    init(_ record: Record, _ type: Schema.RecordType, _ form: HTTPForm, _ visit: Visit) {
        self.init(record, type)
        let (old, new) = (form.fields(after: "was."), form.fields(after: "now."))
        rows = rows.map { row in
            Row(
                key: row.key, type: row.type, old: old[row.key] ?? row.old, new: new[row.key] ?? old[row.key] ?? row.old
            )
        }
        // A field that was added before a mistake is on the form and not in the record.
        for key in Set(new.keys).subtracting(rows.map(\.key)).sorted() {
            rows.append(Row(key: key, type: type.fields[key]?.type, old: old[key] ?? "", new: new[key] ?? ""))
        }
        parent = Row(key: "parent", type: nil, old: form["was:parent"], new: form["now:parent"])
        do throws(CabinetError) {
            files = try KeptFiles(form, of: rows.filter { $0.type?.scalar == .asset }.map(\.key), visit)
        } catch {
            failure = error
        }
        let (key, value) = (form["new.key"], form["new.value"])
        if key.isEmpty, value.isEmpty { return }
        guard !key.isEmpty, !rows.contains(where: { $0.key == key }) else {
            other = (key, value)
            let mistake = key.isEmpty ? "The other field has no name." : "The record has a field '\(key)' above."
            failure = failure ?? CabinetError(.invalidArguments, mistake)
            return
        }
        rows.append(Row(key: key, type: type.fields[key]?.type, old: "", new: value))
    }

    /// Makes each value of the form a change, for a record that is saved as a new one.
    mutating func becomeNew() {
        rows = rows.map { Row(key: $0.key, type: $0.type, old: "", new: $0.new) }
        parent = Row(key: parent.key, type: nil, old: "", new: parent.new)
    }

    /// The name of the hidden field with the record type.
    static let typeField = "type"

    /// Whether the person has changed something.
    var isChanged: Bool { parent.isChanged || !files.isEmpty || rows.contains { $0.isChanged && $0.isTyped } }

    /// Takes over the changes of another form.
    mutating func take(changesOf other: RecordForm) {
        for row in other.rows where row.isChanged {
            if let index = rows.firstIndex(where: { $0.key == row.key }) {
                rows[index].new = row.new
            } else {
                rows.append(Row(key: row.key, type: row.type, old: "", new: row.new))
            }
        }
        if other.parent.isChanged { parent.new = other.parent.new }
        files = other.files
        failure = other.failure
        self.other = other.other
    }

    /// Saves a record with what was typed, and answers with the record, with both versions after a conflict, or with the form and the error.
    ///
    /// A new record that is stored already has been saved by another press of the button.
    ///
    /// - Parameters:
    ///   - record: The record as it was fetched, or a new one.
    ///   - sent: The form as it arrived.
    ///   - page: The page that shows the form again.
    mutating func save(
        _ record: Record, _ sent: HTTPForm, _ visit: Visit, page: (RecordForm) async throws -> Page
    ) async throws -> Answer {
        var record = record
        let isNew = record.recordChangeTag == nil
        do {
            if let failure { throw failure }
            try apply(to: &record)
            record = try await visit.database.save(record)
            _ = visit.uploads.take(sent[KeptFiles.field], at: visit.place)
            return .redirect(visit.place.link(to: record.recordID))
        } catch let error as CabinetError where error.code == .serverRecordChanged && !isNew {
            let server = try await visit.database.record(for: record.recordID)
            return .page(ConflictPage.page(visit, server, self), .conflict)
        } catch let error as CabinetError where !Task.isCancelled && (isNew || error.code != .unknownItem) {
            failure = error
            guard error.code == .serverRecordChanged else { return .page(try await page(self), error.code.pageStatus) }
            if let stored = try? await visit.database.record(for: record.recordID), isStored(record, as: stored) {
                return .redirect(visit.place.link(to: stored.recordID))
            }
            return .page(try await page(self), .badRequest)
        }
    }

    /// Whether a stored record has the values of a new one, and files of the same sizes.
    private func isStored(_ record: Record, as stored: Record) -> Bool {
        stored.recordType == record.recordType && stored.parent == record.parent
            && Set(stored.fields.keys) == Set(record.fields.keys)
            && record.fields.keys.allSatisfy { key in
                guard let chosen = files.fields[key] else { return stored.fields[key] == record.fields[key] }
                return stored.fields[key]?.assets.map { $0.size ?? 0 } == chosen.map(\.size)
            }
    }

    /// Sets the values that the person has changed.
    func apply(to record: inout Record) throws(CabinetError) {
        var members: [JSONValue.Member] = []
        for row in rows where row.isChanged && row.isTyped {
            let value = try JSONValue(typed: row.new, of: row.key, as: row.type, timeZone: .gmt)
            members.append(JSONValue.Member(key: row.key, value: value))
        }
        try RecordJSON.fill(&record, from: ["fields": .object(members)], files: Self.noFiles, type: type)
        for (key, chosen) in files.fields {
            let assets = chosen.map { Asset(fileURL: $0.url) }
            if type.fields[key]?.type.isList == true {
                record[key] = assets.isEmpty ? nil : assets
            } else {
                record[key] = assets.first
            }
        }
        if parent.isChanged {
            record.setParent(
                parent.new.isEmpty ? nil : RecordID(recordName: parent.new, zoneID: record.recordID.zoneID))
        }
    }

    /// No files of the machine with the dashboard are read for a person elsewhere.
    static let noFiles = AssetFiles.verified(in: URL(filePath: "/dev/null"))

    /// The form as a part of a page.
    func html(_ visit: Visit, address: String, button: String = "Save", before: HTML = .empty) -> HTML {
        let fields = rows.filter { $0.isTyped || $0.type?.scalar == .asset }.map { $0.isTyped ? input($0) : upload($0) }
        let hasFiles = rows.contains { $0.type?.scalar == .asset }
        return """
            <form class="edit" method="post" action="\(address)" autocomplete="off"\(hasFiles ? " enctype=\"multipart/form-data\"" as HTML : .empty)>\(visit.proof)\(files.html(visit))
            <input type="hidden" name="tag" value="\(tag)"><input type="hidden" name="\(Self.typeField)" value="\(recordType)">\(failure?.alert)\(before)\(fields)
            <div class="field"><label for="parent">Parent<small>record name</small></label>
            <input type="hidden" name="was:parent" value="\(parent.old)"><input id="parent" name="now:parent" value="\(parent.new)" spellcheck="false"></div>
            <div class="field new"><label for="new-key">Another field</label>
            <input id="new-key" name="new.key" value="\(other.key)" placeholder="name" spellcheck="false"> \
            <input name="new.value" value="\(other.value)" aria-label="Value of the other field" placeholder="value" spellcheck="false"></div>
            <p><button class="main">\(button)</button></p></form>
            """
    }

    /// The field of an asset, whose bytes are those of a file.
    private func upload(_ row: Row) -> HTML {
        let id = "field-\(row.key)"
        let isList = row.type?.isList == true
        let isRemoved: HTML = files.fields[row.key]?.isEmpty == true ? " checked" : .empty
        let removal: HTML =
            row.old.isEmpty
            ? .empty
            : "<label class=\"check\"><input type=\"checkbox\" name=\"remove.\(row.key)\" value=\"1\"\(isRemoved)> Remove</label>"
        return """
            <div class="field"><label for="\(id)">\(row.key.shown(60))<small>\(row.typeName)</small></label>
            <input type="hidden" name="was.\(row.key)" value="\(row.old)">\(files.choice(of: row.key))
            <input id="\(id)" name="file.\(row.key)" type="file"\(isList ? " multiple" as HTML : .empty)>\(removal)</div>

            """
    }

    private func input(_ row: Row) -> HTML {
        let id = "field-\(row.key)"
        let isWrong: HTML = failure?.fieldKey == row.key ? " aria-invalid=\"true\"" : .empty
        // A text may have several lines, and a line of the form has about ninety characters.
        let lines = min(max(lines, row.new.utf8.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } + row.new.utf8.count / 90), 12)
        let control: HTML =
            row.type == .string || lines > self.lines
            ? "<textarea id=\"\(id)\" name=\"now.\(row.key)\" rows=\"\(lines)\" spellcheck=\"false\" dir=\"auto\"\(isWrong)>\n\(row.new)</textarea>"
            : "<input id=\"\(id)\" name=\"now.\(row.key)\" value=\"\(row.new)\" spellcheck=\"false\" dir=\"auto\"\(isWrong)>"
        return """
            <div class="field"><label for="\(id)">\(row.key.shown(60))<small>\(row.typeName)</small></label>
            <input type="hidden" name="was.\(row.key)" value="\(row.old)">\(control)</div>

            """
    }
}

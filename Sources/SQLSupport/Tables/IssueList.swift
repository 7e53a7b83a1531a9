package import Cabinet

/// The issues that the checks of a store have found below the record model.
package struct IssueList {
    /// The largest number of issues that each check adds.
    package let limit: Int
    private let store: String
    package private(set) var found: [IntegrityIssue] = []
    private var room: Int

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - limit: The largest number of issues that each check adds.
    ///   - store: The damaged part of the store, such as `file` and its path.
    package init(limit: Int, store: String) {
        self.limit = limit
        self.store = store
        room = limit
    }

    /// Whether the current check may add more issues.
    package var hasRoom: Bool { room > 0 }

    /// Runs a check, and adds an issue if the check itself fails.
    package mutating func check(_ subject: String, _ body: (inout IssueList) throws -> Void) throws {
        room = limit
        do {
            try body(&self)
        } catch let error as CabinetError where error.code == .internalError {
            room += 1
            found.append(
                IntegrityIssue(.storage, "The check of \(subject) fails. \(error.message)"))
        }
    }

    /// Adds an issue.
    ///
    /// - Parameters:
    ///   - what: The description, as a part of a sentence.
    ///   - advice: The advice for an issue that cannot be repaired.
    ///   - isRepairable: Whether the damaged structure can be rebuilt from the rows.
    ///   - id: The affected record.
    ///   - type: The affected record type.
    ///   - kind: The kind of the issue.
    package mutating func add(
        _ what: String, _ advice: String, _ isRepairable: Bool, _ id: RecordID? = nil, type: Record.RecordType? = nil,
        kind: IntegrityIssue.Kind = .storage
    ) {
        guard hasRoom else { return }
        room -= 1
        let end = isRepairable || advice.isEmpty ? "" : " \(advice)"
        found.append(
            IntegrityIssue(
                kind, "The store's \(store) is damaged: \(what).\(end)", recordType: type, recordID: id,
                isRepairable: isRepairable))
    }

    /// Finds tables of records and columns that the schema lacks, as after a deletion in its tables, and those that are missing.
    ///
    /// - Parameters:
    ///   - existing: The columns of the tables of records that exist, by the name of the table.
    ///   - needed: The columns that the schema needs, by the name of the table.
    package mutating func compare(_ existing: [String: Set<String>], with needed: [String: [String]]) {
        let undo = "Undo the change, or restore a backup; until then, nothing is repaired."
        for (table, columns) in existing.sorted(by: { $0.key < $1.key }) {
            guard let known = needed[table] else {
                add("the schema lacks the record type of table \(table)", undo, false, kind: .schema)
                continue
            }
            for column in columns.subtracting(known).sorted() {
                add("the schema lacks the column \(column) of table \(table)", undo, false, kind: .schema)
            }
        }
        // Missing columns do not displace the others, which prevent a repair.
        room = limit
        for (table, columns) in needed.sorted(by: { $0.key < $1.key }) {
            for column in columns where existing[table]?.contains(column) != true {
                add("table \(table) has no column \(column)", "Add the column, or restore a backup.", false)
            }
        }
    }
}

public import Foundation

extension CabinetError: CustomStringConvertible, LocalizedError {
    /// A small tree with the reason, the record, the field and the causes, for a person to act on.
    ///
    /// ```text
    /// CabinetError: invalidArguments (12)
    /// ├─ Reason: The field 'number' of Items holds INT64 values; the new value …
    /// ├─ Record: 0198C1F0-…
    /// └─ Field: number
    /// ```
    public var description: String {
        tree.joined(separator: "\n")
    }

    /// The message in one line, with the record and the field if the message does not name them.
    ///
    /// `There is no such record in the default zone of the private database. (record milk)`
    ///
    /// The message of the first failed item follows that of a ``Code/partialFailure``.
    public var errorDescription: String? {
        var text = message.isEmpty ? "\(code)." : message.split(whereSeparator: \.isNewline).joined(separator: " ")
        if let cause = items.first(where: { $1.code != .batchRequestFailed })?.error.errorDescription {
            text += " \(cause)"
        }
        var places: [String] = []
        if let recordID, !text.names("\(recordID)") { places.append("record \(recordID)") }
        if let fieldKey, !text.names(fieldKey) { places.append("field \(fieldKey)") }
        return places.isEmpty ? text : "\(text) (\(places.joined(separator: ", ")))"
    }

    /// The failures of single items, in the order of their IDs.
    private var items: [(id: RecordID, error: CabinetError)] {
        partialErrorsByItemID.map { ($0, $1) }.sorted { $0.id.description < $1.id.description }
    }

    private var tree: [String] {
        var branches: [(label: String, lines: [String])] = []
        if !message.isEmpty { branches.append(("Reason", message.split(whereSeparator: \.isNewline).map(String.init))) }
        if let recordID { branches.append(("Record", ["\(recordID)"])) }
        if let fieldKey { branches.append(("Field", [fieldKey])) }
        if let retryAfterSeconds { branches.append(("Retry after", ["\(retryAfterSeconds) s"])) }
        if let conflict {
            branches.append(("Client record", [conflict.clientRecord.debugDescription]))
            branches.append(("Server record", [conflict.serverRecord.debugDescription]))
            branches.append(("Ancestor record", [conflict.ancestorRecord?.debugDescription ?? "none"]))
        }
        let items = items
        for (id, error) in items where error.code != .batchRequestFailed { branches.append(("\(id)", error.tree)) }
        // A batch may have thousands of these, and they only repeat that another record failed.
        let others = items.filter { $0.error.code == .batchRequestFailed }.map { "\($0.id)" }
        if !others.isEmpty {
            let further = others.count > 10 ? " and \(others.count - 10) more" : ""
            branches.append(("Not changed either", [others.prefix(10).joined(separator: ", ") + further]))
        }
        if let underlyingError {
            branches.append(("Cause", "\(underlyingError)".split(whereSeparator: \.isNewline).map(String.init)))
        }

        var lines = ["CabinetError: \(code) (\(code.rawValue))"]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            let sign: String = isLast ? "└─ " : "├─ "
            let indentation: String = isLast ? "   " : "│  "
            lines.append("\(sign)\(branch.label): \(branch.lines.first ?? "")")
            for line in branch.lines.dropFirst() { lines.append(indentation + line) }
        }
        return lines
    }
}

extension String {
    /// Returns a Boolean value that indicates whether the text contains a name as a whole word.
    fileprivate func names(_ name: String) -> Bool {
        func isPartOfName(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" } ?? false
        }
        return ranges(of: name).contains { range in
            !isPartOfName(self[..<range.lowerBound].last) && !isPartOfName(self[range.upperBound...].first)
        }
    }
}

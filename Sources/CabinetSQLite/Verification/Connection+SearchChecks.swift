import Cabinet
import SQLSupport

/// Checks that the indexes of words and of locations match the rows.
extension Connection {
    /// The number of words in one query.
    private static let wordsAtOnce = 50

    /// Compares a full-text index with the texts of the rows.
    func check(_ words: TableIndexes.Words, of table: Table, _ issues: inout IssueList) throws {
        let stored = try Statement("SELECT words FROM \(words.quoted) WHERE rowid = ?", on: handle)
        let match = try Statement(
            "SELECT 1 FROM \(words.quoted) WHERE \(words.quoted) MATCH ? AND rowid = ?", on: handle)
        func isFound(_ row: Int64, by tokens: [String]) throws -> Bool {
            defer { stored.reset() }
            try stored.bind(row, at: 1)
            let text = try stored.step() ? stored.string(0) : nil
            guard text == (tokens.isEmpty ? nil : tokens.joined(separator: " ")) else { return false }
            // FTS5 truncates longer tokens.
            let whole = tokens.filter { $0.utf8.count <= 30_000 }
            for part in whole.parts(of: Self.wordsAtOnce) {
                try match.bind(part.map { "\"\($0)\"" }.joined(separator: " AND "), at: 1)
                try match.bind(row, at: 2)
                defer { match.reset() }
                if try !match.step() { return false }
            }
            return true
        }
        try forEachRow(of: words.positions, in: table, skippingDamage: true) { row, record in
            guard issues.hasRoom else { return }
            let texts = words.positions.map { record.fields[table.columns[$0].field] }
            if try isFound(row, by: IndexedWords.stored(texts, layout: catalog.layout)) { return }
            issues.add(
                "the index \(words.name) does not match the words of the record", "", true, record.recordID,
                type: table.recordType)
        }
        let columns = words.positions.map { table.columns[$0].quoted }
        try checkStrayRows(of: words.name, quoted: words.quoted, key: "rowid", columns: columns, of: table, &issues)
    }

    /// Compares an index of locations with the locations of the rows.
    func check(_ places: TableIndexes.Places, of table: Table, _ issues: inout IssueList) throws {
        let structure = try Statement("SELECT rtreecheck('main', ?)", on: handle)
        try structure.bind(places.name, at: 1)
        if try structure.step(), let message = structure.string(0), message != "ok" {
            issues.add("the index \(places.name) is damaged: \(message)", "", true, type: table.recordType)
        }
        let box = try Statement("SELECT south, north, west, east FROM \(places.quoted) WHERE id = ?", on: handle)
        try forEachRow(of: [places.position], in: table, skippingDamage: true) { row, record in
            guard issues.hasRoom, case .location(let place)? = record.fields[table.columns[places.position].field]
            else { return }
            defer { box.reset() }
            try box.bind(row, at: 1)
            let isFound = try box.step()
            let expected = BoundingBox(at: place)
            let found = BoundingBox(
                south: box.double(0), north: box.double(1), west: box.double(2), east: box.double(3))
            if isFound, found.isAlmost(expected) { return }
            issues.add(
                "the index \(places.name) does not match the location of the record", "", true, record.recordID,
                type: table.recordType)
        }
        try checkStrayRows(
            of: places.name, quoted: places.quoted, key: "id", columns: [table.columns[places.position].quoted],
            of: table,
            &issues)
    }

    /// Finds entries for rows that do not exist or have no value to index.
    private func checkStrayRows(
        of name: String, quoted: String, key: String, columns: [String], of table: Table, _ issues: inout IssueList
    ) throws {
        let isNotNull = columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
        let statement = try Statement(
            """
            SELECT \(key) FROM \(quoted) WHERE \(key) NOT IN (\
            SELECT "___insertion" FROM \(table.quoted) WHERE \(isNotNull)) LIMIT \(issues.limit)
            """, on: handle)
        while try statement.step() {
            issues.add(
                "the index \(name) has an entry for row \(statement.int64(0)) of table \(table.name), which has no value to index",
                "",
                true, type: table.recordType)
        }
    }
}

extension BoundingBox {
    /// Whether the box contains another one, and is not larger than rounding to 32-bit numbers allows in an R-tree.
    fileprivate func isAlmost(_ other: BoundingBox) -> Bool {
        let slack = 1e-3
        return south <= other.south && south >= other.south - slack && north >= other.north
            && north <= other.north + slack && west <= other.west && west >= other.west - slack && east >= other.east
            && east <= other.east + slack
    }
}

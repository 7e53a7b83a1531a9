import Cabinet
import SQLSupport

/// The check whether a row may be sorted wrongly in SQL, because only a prefix of its text or bytes was compared.
///
/// If the compared column is fetched anyway, its length is checked here, which saves the server work for each row.
struct TruncationCheck {
    private enum Source {
        /// Columns that records are decoded from, with the keys that may truncate them.
        case decoded([(column: Int, key: SQLKey)])
        /// An additional column of the statement, after those of the record.
        case selected(String, column: Int)
    }

    private let source: Source

    init(_ keyset: KeysetTranslator, _ decoder: RowDecoder, isOrdered: Bool) {
        guard keyset.isCut, isOrdered else {
            source = .decoded([])
            return
        }
        let columns = keyset.cutKeys.compactMap { field, key in
            field.flatMap(decoder.index).map { (column: $0, key: key) }
        }
        source =
            columns.count == keyset.cutKeys.count
            ? .decoded(columns) : .selected(keyset.isLong, column: decoder.columnCount)
    }

    /// The columns that a statement selects after those of the record.
    var selection: String {
        switch source {
        case .decoded: ""
        case .selected(let test, _): ", \(test)"
        }
    }

    func isLong(_ row: QueryRow) -> Bool {
        switch source {
        case .decoded(let columns): columns.contains { $0.key.isCut(row.bytes($0.column)) }
        case .selected(_, let column): row.boolean(column) == true
        }
    }
}

extension SQLKey {
    /// Whether a stored value may be longer than its key.
    fileprivate func isCut(_ stored: UnsafeRawBufferPointer?) -> Bool {
        guard let stored, stored.count >= length else { return false }
        if isOfBytes { return true }
        // Count the characters of UTF-8: each has one byte that is not a continuation byte.
        return stored.count { $0 & 0xC0 != 0x80 } >= length
    }
}

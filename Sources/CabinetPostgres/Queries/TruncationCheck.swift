import Cabinet
import SQLSupport

/// Tells of a row whether it may have another place than SQL has given it, because it has a text, or bytes, of which only the
/// beginning was compared.
///
/// Where what was compared is fetched anyway, its length is looked at here: for a server, that is work for each row.
struct TruncationCheck {
    private enum Source {
        /// Columns that records are decoded from, and the length that is too long.
        case decoded([(column: Int, key: SQLKey)])
        /// A column of the statement's own, after those.
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

    /// What a statement selects after a record's columns.
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
    /// Whether a stored value may go on where the key ends.
    fileprivate func isCut(_ stored: UnsafeRawBufferPointer?) -> Bool {
        guard let stored, stored.count >= length else { return false }
        if isOfBytes { return true }
        // UTF-8: each character has one byte that does not continue another one.
        return stored.count { $0 & 0xC0 != 0x80 } >= length
    }
}

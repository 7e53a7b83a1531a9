import Cabinet
import Foundation

/// The operators that look at the end of a text, or at its pattern.
extension FilterTranslator {
    mutating func ending(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.column(let column), .value(.string(let end))) where column.kind == .text:
            return ending(column, end)
        case (.value(.string(let text)), .column(let end)) where end.kind == .text:
            return isEnd(end.name, of: builder.parameter(.text(text)))
        case (.column(let text), .column(let end)) where text.kind == .text && end.kind == .text:
            return isEnd(end.name, of: text.name)
        default: return nil
        }
    }

    /// The last bytes are compared, because SQL's `length` of a text ends at a NUL; a BLOB's does not.
    private mutating func ending(_ column: SQLColumn, _ end: String) -> SQLCondition {
        if end.isEmpty { return .never }
        let bytes = builder.parameter(.blob(Data(end.utf8)))
        return .sql("substr(CAST(\(column.name) AS BLOB), -\(end.utf8.count)) = \(bytes)")
    }

    private func isEnd(_ end: String, of text: String) -> SQLCondition {
        let bytes = "CAST(\(end) AS BLOB)"
        return .sql("\(end) <> '' AND substr(CAST(\(text) AS BLOB), -length(\(bytes))) = \(bytes)")
    }

    /// The patterns of LIKE that have a `*` at their ends alone; SQL's own LIKE knows neither case nor scalars well.
    mutating func pattern(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.column(let column), .value(.string(let pattern))) where column.kind == .text:
            if pattern.utf8.contains(UInt8(ascii: "?")) { return nil }
            let parts = pattern.utf8.split(separator: UInt8(ascii: "*")).map { String(decoding: $0, as: UTF8.self) }
            let isOpenBefore = pattern.utf8.first == UInt8(ascii: "*")
            let isOpenAfter = pattern.utf8.last == UInt8(ascii: "*")
            guard parts.count < 2, let part = parts.first else {
                guard parts.isEmpty else { return nil }
                return .sql(isOpenBefore ? "\(column.name) IS NOT NULL" : "\(column.name) = ''")
            }
            switch (isOpenBefore, isOpenAfter) {
            case (false, false): return .sql("\(column.name) = \(builder.parameter(.text(part)))")
            case (false, true): return beginning(left, .value(.string(part)))
            case (true, false): return ending(column, part)
            case (true, true): return .sql("instr(\(column.name), \(builder.parameter(.text(part)))) > 0")
            }
        default: return nil
        }
    }
}

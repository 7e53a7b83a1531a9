import Foundation

/// Counts the lines that files of the same name in the two SQL backends have in common.
///
/// Code that both need belongs in SQLSupport.
enum DuplicateCheck {
    /// The limit of common lines; most of them are braces and declarations.
    static let most = 150

    /// Returns the common lines of each pair of files with the same name.
    static func counts(in files: [SourceText]) -> [(name: String, count: Int)] {
        func code(of module: String) -> [(name: String, lines: [String])] {
            files.filter { $0.path.hasPrefix("Sources/\(module)/") }
                .map { (URL(fileURLWithPath: $0.path).lastPathComponent, lines(of: $0)) }
        }
        let others = Dictionary(grouping: code(of: "CabinetPostgres"), by: \.name)
        return code(of: "CabinetSQLite").flatMap { name, lines in
            (others[name] ?? []).map { (name, common(lines[...], $0.lines[...])) }
        }
    }

    /// Returns the lines of code, without indentation, comments, imports and empty lines.
    private static func lines(of file: SourceText) -> [String] {
        file.linesWithoutComments.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// Returns the number of lines in common blocks: the longest block, and those before and after it.
    static func common(_ left: ArraySlice<String>, _ right: ArraySlice<String>) -> Int {
        var longest = (count: 0, left: left.startIndex, right: right.startIndex)
        // The lengths of the blocks that end in the previous line of the left file, by the line of the right file.
        var ends: [Int: Int] = [:]
        for (row, line) in zip(left.indices, left) {
            var next: [Int: Int] = [:]
            for (column, other) in zip(right.indices, right) where line == other {
                let count = (ends[column - 1] ?? 0) + 1
                next[column] = count
                if count > longest.count { longest = (count, row - count + 1, column - count + 1) }
            }
            ends = next
        }
        if longest.count == 0 { return 0 }
        return longest.count
            + common(left[..<longest.left], right[..<longest.right])
            + common(left[(longest.left + longest.count)...], right[(longest.right + longest.count)...])
    }
}

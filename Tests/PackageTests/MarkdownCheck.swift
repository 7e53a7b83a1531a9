import Foundation

/// Code in a Markdown file is never typed by hand: it is cut from a compiled file, or it is what a program prints.
///
/// A comment above a fenced block says where the block comes from:
///
/// - `<!-- source: Examples/A/main.swift -->` is that file, without the comment at its beginning;
/// - `<!-- source: Examples/A/main.swift#save -->` is what stands in it between `// snippet: save` and `// end`;
/// - `<!-- typed: Guide.md -->` is a block of that article, which `make guide` types into a package and compiles;
/// - `<!-- output: a b c -->` is what the program `a` prints, called with `b` and `c`, below the
///   commands that a reader types, which begin with `$ `.
struct MarkdownCheck {
    /// Whether each Swift block must say where it comes from.
    var requiresSources = true

    /// Reads a file, named by its path from the package's root.
    let read: (String) throws -> String

    /// Runs a program of this package, named by its product, with arguments, and returns what it prints.
    let run: ([String]) throws -> String

    /// The blocks of a file that are not what they claim to be.
    func violations(in text: String, path: String) -> [Violation] {
        MarkdownBlock.blocks(in: text).compactMap { block in
            mistake(in: block).map { Violation(path: path, line: block.line + $0.offset, message: $0.message) }
        }
    }

    private func mistake(in block: MarkdownBlock) -> (offset: Int, message: String)? {
        do {
            switch block.origin {
            case .source(let file, let snippet)?:
                let source = try read(file)
                guard let lines = Self.lines(of: source, snippet: snippet) else {
                    return (0, "\(file) has no region '// snippet: \(snippet ?? "")' … '// end'")
                }
                return block.firstDifference(from: lines, of: file + (snippet.map { "#\($0)" } ?? ""))
            case .typed(let article)?:
                let blocks = MarkdownBlock.blocks(in: try read(article))
                let isEqual = blocks.contains { $0.language == block.language && $0.lines == block.lines }
                return isEqual ? nil : (0, "no block of \(article) is equal to this one")
            case .output(let command)?:
                // The command that the reader types stands above its output.
                let typed = block.lines.prefix { $0.hasPrefix("$ ") }
                let lines = typed + (try run(command).components(separatedBy: "\n"))
                return block.firstDifference(from: Array(lines), of: command.joined(separator: " "))
            case nil where block.language == "swift" && requiresSources:
                return (0, "a Swift block needs <!-- source: PATH --> or <!-- source: PATH#NAME --> above it")
            case nil:
                return nil
            }
        } catch {
            return (0, "\(error)")
        }
    }

    /// The lines of a source file that a block shows, without the marks of snippets.
    static func lines(of source: String, snippet: String?) -> [String]? {
        let lines = source.components(separatedBy: "\n")
        let isMark = { (line: String) in
            let text = line.trimmingCharacters(in: .whitespaces)
            return text == "// end" || text.hasPrefix("// snippet: ")
        }
        guard let snippet else {
            return Array(lines.drop { $0.hasPrefix("//") && !isMark($0) }).filter { !isMark($0) }
        }
        let begin = lines.firstIndex { $0.trimmingCharacters(in: .whitespaces) == "// snippet: \(snippet)" }
        guard let begin, let end = lines[begin...].firstIndex(where: { $0.hasSuffix("// end") }) else { return nil }
        return lines[(begin + 1)..<end].filter { !isMark($0) }
    }
}

/// A fenced block of a Markdown file, and the comment above it.
struct MarkdownBlock {
    enum Origin: Hashable {
        case source(path: String, snippet: String?)
        case typed(article: String)
        case output(command: [String])
    }

    /// The number of the line that opens the block.
    let line: Int
    let language: String
    let origin: Origin?
    let lines: [String]

    static func blocks(in text: String) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        var origin: Origin?
        var lines = text.components(separatedBy: "\n").enumerated().makeIterator()
        while let (index, line) = lines.next() {
            let fence = line.prefix { $0 == "`" }
            if fence.count >= 3 {
                var content: [String] = []
                while let (_, inner) = lines.next(), inner != fence {
                    content.append(inner)
                }
                let language = line.dropFirst(fence.count).trimmingCharacters(in: .whitespaces)
                blocks.append(MarkdownBlock(line: index + 1, language: language, origin: origin, lines: content))
                origin = nil
            } else if let comment = line.wholeMatch(of: #/<!--\s*(source|typed|output):\s*(.*?)\s*-->\s*/#) {
                origin = self.origin(kind: comment.1, value: comment.2)
            } else if !line.isEmpty {
                origin = nil
            }
        }
        return blocks
    }

    private static func origin(kind: Substring, value: Substring) -> Origin {
        if kind == "typed" { return .typed(article: String(value)) }
        guard kind == "source" else { return .output(command: value.split(separator: " ").map(String.init)) }
        let parts = value.split(separator: "#", maxSplits: 1).map(String.init)
        return .source(path: parts.first ?? "", snippet: parts.count > 1 ? parts[1] : nil)
    }

    /// The first line that differs from what it should be, counted from the line that opens the block.
    func firstDifference(from expected: [String], of origin: String) -> (offset: Int, message: String)? {
        let expected = Self.normalized(expected)
        let found = Self.normalized(lines)
        for index in 0..<max(expected.count, found.count) {
            let wanted = index < expected.count ? "'\(expected[index])'" : "nothing"
            let given = index < found.count ? "'\(found[index])'" : "nothing"
            guard wanted != given else { continue }
            return (index + 1, "the block differs from \(origin): expected \(wanted), found \(given)")
        }
        return nil
    }

    /// The lines without common indentation, spaces at their ends, and empty lines at the beginning and end.
    private static func normalized(_ lines: [String]) -> [String] {
        let filled = lines.filter { !$0.allSatisfy(\.isWhitespace) }
        let indentation = filled.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        var result = lines.map { line in
            let text = line.dropFirst(indentation)
            return String(text.prefix(text.count - text.reversed().prefix { $0.isWhitespace }.count))
        }
        while result.last?.isEmpty == true { result.removeLast() }
        return Array(result.drop { $0.isEmpty })
    }
}

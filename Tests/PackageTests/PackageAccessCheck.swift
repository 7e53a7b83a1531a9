/// The folders of Cabinet's own module with `package` declarations are exactly those that CONTRIBUTING lists.
struct PackageAccessCheck {
    /// The words in backticks of each folder's rows.
    let doors: [String: Set<String>]

    /// Reads the table whose rows are `| folder | for | doors |`; a row without a folder continues the one above it.
    init(contributing text: String) {
        var doors: [String: Set<String>] = [:]
        var folder: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| Folder of `Sources/Cabinet`") {
                folder = ""
                continue
            }
            guard let current = folder else { continue }
            guard line.hasPrefix("|") else { break }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(Self.words)
            guard cells.count > 3, !line.hasPrefix("|-") else { continue }
            let name = cells[1].first ?? current
            folder = name
            doors[name, default: []].formUnion(cells[3])
        }
        self.doors = doors
    }

    private static func words(in cell: Substring) -> [String] {
        cell.matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }

    /// Finds the `package` declarations of a file that the table does not list.
    ///
    /// Initializers and imports are not listed.
    func violations(in file: SourceText) -> [Violation] {
        let folder = Self.folder(of: file)
        return Self.declarations(in: file).compactMap { name, line in
            guard let listed = doors[folder] else {
                let message = "CONTRIBUTING lists no `package` declarations in \(folder), and this is one"
                return Violation(path: file.path, line: line, message: message)
            }
            if name == "init" || listed.contains(name) { return nil }
            let message = "'\(name)' is a `package` declaration that CONTRIBUTING does not list for \(folder)"
            return Violation(path: file.path, line: line, message: message)
        }
    }

    /// The folders that the table lists, and that have no `package` declaration.
    func emptyFolders(_ files: [SourceText]) -> [String] {
        let used = Set(files.filter { !Self.declarations(in: $0).isEmpty }.map(Self.folder))
        return doors.keys.filter { !used.contains($0) }.sorted()
    }

    /// The folder of a file, from `Sources/Cabinet`.
    private static func folder(of file: SourceText) -> String {
        file.path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/")
    }

    private static func declarations(in file: SourceText) -> [(name: String, line: Int)] {
        let modifiers =
            #/\bpackage\s+(?:(?:static|final|mutating|let|var|func|struct|class|enum|protocol)\s+)*(?<name>\w+|==)/#
        return file.code.enumerated().compactMap { index, line in
            guard line.contains("package"), let match = line.firstMatch(of: modifiers), match.name != "import" else {
                return nil
            }
            return (String(match.name), index + 1)
        }
    }
}

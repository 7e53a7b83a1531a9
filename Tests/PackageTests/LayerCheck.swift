/// The arrows inside Cabinet's own module: a folder uses the folders before it, and none after it.
///
/// Types are found by their names, nested ones by theirs and that of their outer type. Members are not found:
/// `Scripts/check-layers.sh` lets the compiler find them.
struct LayerCheck {
    /// The folders of Sources/Cabinet, the lowest first; folders of one rank do not use each other.
    static let order: [Set<String>] = [
        ["Records"], ["Errors"], ["Filters"], ["Queries"], ["Storage"], ["Memory", "Rules"], ["Service"], ["Engine"],
        ["Container"],
        ["Typed"],
    ]

    private static let root = ["Sources", "Cabinet"]

    /// A use of a type in a folder that must not be used.
    struct Arrow: Equatable {
        /// The path below Sources/Cabinet.
        let file: String
        let type: String
        let folder: String
        let line: Int

        var violation: Violation {
            Violation(
                path: "Sources/Cabinet/\(file)", line: line,
                message: "\(file.split(separator: "/")[0]) must not use \(type), which lies in \(folder)")
        }
    }

    /// A file with what it declares.
    private struct Source {
        let file: SourceText
        let folder: String
        let path: String
        let declarations: Declarations
    }

    private let sources: [Source]

    /// The folders that declare a type, by the type's name at top level, or by `Outer.Name`.
    private var homes: [String: Set<String>] = [:]

    /// The files outside of every folder that has a rank.
    private(set) var homeless: [Violation] = []

    /// Reads the files below Sources/Cabinet; others are ignored.
    init(_ files: [SourceText]) {
        var sources: [Source] = []
        for file in files {
            let parts = file.path.split(separator: "/").map(String.init)
            guard parts.starts(with: Self.root), parts.count > 2 else { continue }
            guard parts.count > 3, Self.rank(of: parts[2]) != nil else {
                let message = "no rank: say in Tests/PackageTests/LayerCheck.swift what the folder may use"
                homeless.append(Violation(path: file.path, line: 1, message: message))
                continue
            }
            sources.append(
                Source(
                    file: file, folder: parts[2], path: parts.dropFirst(2).joined(separator: "/"),
                    declarations: Declarations(of: file)))
        }
        self.sources = sources
        for source in sources {
            for type in source.declarations.types where !type.isPrivate {
                homes[type.outer.map { "\($0).\(type.name)" } ?? type.name, default: []].insert(source.folder)
            }
        }
    }

    /// Finds the arrows that point back, each type once per file, at the first line that uses it.
    var arrows: [Arrow] {
        sources.flatMap { source in
            let hidden = namesHiding(in: source)
            var found: Set<String> = []
            return source.file.code.enumerated().flatMap { index, line in
                Self.uses(in: line).compactMap { use -> Arrow? in
                    // An arrow to a type covers the types that are nested in it.
                    if let outer = use.outer, found.contains(outer) { return nil }
                    guard let home = home(of: use, hidden: hidden, for: source), found.insert(use.name).inserted else {
                        return nil
                    }
                    return Arrow(file: source.path, type: use.name, folder: home, line: index + 1)
                }
            }
        }
    }

    /// The folder of a type that a file must not use; `nil` if it may, or if the name is not that of a type of this
    /// module.
    private func home(of use: TypeUse, hidden: Set<String>, for source: Source) -> String? {
        if use.outer == nil, use.isMember || hidden.contains(use.name) { return nil }
        guard let homes = homes[use.name], !homes.contains(where: { Self.mayUse($0, from: source.folder) }) else {
            return nil
        }
        return homes.min()
    }

    /// The names that refer to something nearer than the type of another folder: the file's own declarations, and those
    /// nested in the types that it extends.
    private func namesHiding(in source: Source) -> Set<String> {
        let roots = source.declarations.roots
        return sources.reduce(into: source.declarations.names.union(source.declarations.parameters)) { names, other in
            guard Self.mayUse(other.folder, from: source.folder), !other.declarations.roots.isDisjoint(with: roots)
            else {
                return
            }
            names.formUnion(other.declarations.types.filter { $0.outer != nil && !$0.isPrivate }.map(\.name))
        }
    }

    private static func rank(of folder: String) -> Int? { order.firstIndex { $0.contains(folder) } }

    private static func mayUse(_ other: String, from folder: String) -> Bool {
        guard let rank = Self.rank(of: folder), let otherRank = Self.rank(of: other) else { return false }
        return other == folder || otherRank < rank
    }
}

/// A name in code that begins with a capital letter.
private struct TypeUse {
    /// The name, after that of its outer type if it follows one: `Filter.Options`.
    let name: String

    /// The outer type.
    let outer: String?

    /// Whether the name follows a dot without a type before it, so that its type is unknown.
    let isMember: Bool
}

extension LayerCheck {
    /// The types that a line names: `Database.Scope` gives `Database` and `Database.Scope`.
    private static func uses(in line: String) -> [TypeUse] {
        line.matches(of: #/\.?[A-Za-z_]\w*(?:\.[A-Z]\w*)*/#).flatMap { match -> [TypeUse] in
            let isMember = match.output.first == "."
            var parts = match.output.split(separator: ".").map(String.init)
            if parts.first == "Cabinet", parts.count > 1, !isMember { parts.removeFirst() }
            var uses: [TypeUse] = []
            if let first = parts.first, first.isTypeName {
                uses.append(TypeUse(name: first, outer: nil, isMember: isMember))
            }
            for (outer, name) in zip(parts, parts.dropFirst()) where outer.isTypeName {
                uses.append(TypeUse(name: "\(outer).\(name)", outer: outer, isMember: false))
            }
            return uses
        }
    }
}

extension String {
    fileprivate var isTypeName: Bool { first?.isUppercase == true }
}

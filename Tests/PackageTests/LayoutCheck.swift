/// Compares the lists in README and CONTRIBUTING with the manifest and the folders of the package.
struct LayoutCheck {
    /// A folder that CONTRIBUTING's section "Layout" describes.
    struct Folder: Equatable {
        let path: String
        let description: String
        let line: Int
    }

    /// The folders of CONTRIBUTING's section "Layout".
    let folders: [Folder]

    /// Reads the fenced block below `## Layout`.
    ///
    /// A path indented by four spaces continues the last one that is not indented. A line that is indented further
    /// continues the description above it.
    init(contributing text: String) {
        var folders: [Folder] = []
        var parent = ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        let section = lines.drop { $0.element != "## Layout" }.drop { $0.element != "```" }.dropFirst()
        for (index, line) in section.prefix(while: { $0.element != "```" }) {
            if let match = line.wholeMatch(of: #/(?<indentation> {4})?(?<path>[\w/]+)/ +(?<description>.*)/#) {
                let isNested = match.indentation != nil
                if !isNested { parent = String(match.path) }
                let path = isNested ? "\(parent)/\(match.path)" : parent
                folders.append(Folder(path: path, description: String(match.description), line: index + 1))
            } else if let last = folders.popLast() {
                let description = last.description + " " + line.drop { $0 == " " }
                folders.append(Folder(path: last.path, description: description, line: last.line))
            }
        }
        self.folders = folders
    }

    /// Every path that the section names, including the subfolders that descriptions name, such as `Text/`.
    var paths: [(path: String, line: Int)] {
        folders.flatMap { folder in
            let names = folder.description.matches(of: #/(?:^|[ (])([A-Z]\w+)\//#).map { "\(folder.path)/\($0.1)" }
            return ([folder.path] + names).map { ($0, folder.line) }
        }
    }

    /// Finds the paths that do not exist, and the existing folders that the section omits.
    ///
    /// - Parameters:
    ///   - existing: The folders that exist, from the package's root.
    ///   - required: Those among them that must be listed.
    func violations(existing: Set<String>, required: Set<String>) -> [Violation] {
        let wrong = paths.filter { !existing.contains($0.path) }.map { path, line in
            Violation(path: "CONTRIBUTING.md", line: line, message: "\(path) is not a folder of this package")
        }
        let omitted = required.subtracting(paths.map(\.path)).sorted().map { path in
            Violation(path: "CONTRIBUTING.md", line: 1, message: "the section 'Layout' does not list \(path)")
        }
        return wrong + omitted
    }

    /// Finds the modules whose description is wrong about being a product.
    ///
    /// A module is a library product unless its description says "no product".
    func violations(products: Set<String>) -> [Violation] {
        folders.compactMap { folder in
            let components = folder.path.split(separator: "/").map(String.init)
            guard components.count == 2, components[0] == "Sources" else { return nil }
            let isProduct = products.contains(components[1])
            guard isProduct == folder.description.contains("no product") else { return nil }
            let message = "\(components[1]) \(isProduct ? "is a product" : "is not a product: say 'no product'")"
            return Violation(path: "CONTRIBUTING.md", line: folder.line, message: message)
        }
    }

    /// Reads the names in the first column of README's table `| Product | … |`.
    static func products(inReadme text: String) -> [String] {
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("| Product |") }
            .prefix { $0.hasPrefix("|") }
        return rows.compactMap { $0.prefixMatch(of: #/\| `([\w-]+)` \|/#).map { String($0.1) } }
    }

    /// Reads the names of the products, libraries and executables, that a manifest declares.
    static func products(inManifest text: String) -> [String] {
        text.matches(of: #/\.(?:library|executable)\(\s*name: "([\w-]+)"/#).map { String($0.1) }
    }
}

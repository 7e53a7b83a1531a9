import Foundation

/// A function or property of a protocol, or a case of an enum, and the comment above it.
struct Requirement {
    let owner: String
    /// The name as DocC has it: `read(_:_:)`.
    let name: String
    let comment: String
}

extension Requirement {
    /// The requirements of the public protocols in a folder.
    static func all(in folder: String) throws -> [Requirement] {
        try PackageFiles.paths(in: folder, suffix: ".swift").flatMap { path in
            let text = try PackageFiles.text(at: path)
            return text.matches(of: #/(?:^|\n)public protocol (\w+)[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines())
                .flatMap { found in members(of: String(found.2), owner: String(found.1)) }
        }
    }

    /// The members that extensions of protocols add, with any access level.
    static func additions(to protocols: Set<String>) throws -> [Requirement] {
        try PackageFiles.paths(in: "Sources/Cabinet", suffix: ".swift").flatMap { path in
            try PackageFiles.text(at: path)
                .matches(of: #/(?:^|\n)(?:\w+ )?extension (\w+)[^{\n]*\{\n(.*?)\n\}/#.dotMatchesNewlines())
                .filter { protocols.contains(String($0.1)) }
                .flatMap { found in members(of: String(found.2), owner: String(found.1)) }
        }
    }

    /// The functions, properties and cases of a type's body, named as DocC names them, each with the comment above it.
    static func members(of body: String, owner: String) -> [Requirement] {
        var result: [Requirement] = []
        var comment = ""
        let lines = body.components(separatedBy: "\n")
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("    ///") {
                comment += line + "\n"
                continue
            }
            if let found = line.prefixMatch(of: #/    (?:public )?(func|var|case) (\w+)/#) {
                let rest = lines[index...].joined(separator: " ").dropFirst(
                    line.distance(from: line.startIndex, to: found.range.upperBound))
                let labels = found.1 == "func" ? labels(of: rest) : ""
                result.append(Requirement(owner: owner, name: found.2 + labels, comment: comment))
            }
            if !line.hasPrefix("    @") { comment = "" }
        }
        return result
    }

    /// The labels of the parameters that a text begins with: `(_:limit:)`.
    private static func labels(of text: some StringProtocol) -> String {
        var labels = ""
        var depth = 0
        var parameter = ""
        for character in text.drop(while: { $0 != "(" }) {
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            guard depth == 0 || (depth == 1 && character == ",") else {
                parameter.append(character)
                continue
            }
            if let label = parameter.split(whereSeparator: { " :(".contains($0) }).first { labels += "\(label):" }
            parameter = ""
            if depth == 0 { break }
        }
        return "(\(labels))"
    }
}

import Foundation

/// The allowed imports: examples → backends → SQLSupport → Cabinet → Foundation, CabinetTools → CabinetWire → Cabinet,
/// CabinetListener → CabinetServer → CabinetWire, CabinetRemote → CabinetWire, CabinetEncryption → Cabinet, CabinetMirror → Cabinet,
/// CabinetDashboard → {CabinetServer, CabinetTools}, and CabinetICloud → {Cabinet, CloudKit}.
enum ArrowCheck {
    /// Modules of the operating system or the toolchain, which may be used for platform code.
    static let platform: Set = ["Foundation", "Synchronization", "Dispatch", "Glibc", "Musl", "Darwin"]

    /// The modules that each module in `Sources` may import.
    static let allowed: [String: Set<String>] = [
        "Cabinet": platform.union(["CryptoKit", "CSHA256", "Observation"]),
        "SQLSupport": ["Cabinet", "Foundation"],
        "CabinetSQLite": platform.union(["Cabinet", "CSQLite", "SQLSupport"]),
        "CabinetPostgres": platform.union(["Cabinet", "CPostgreSQL", "SQLSupport"]),
        "CabinetTesting": ["Cabinet", "Foundation", "Synchronization"],
        "CabinetWire": ["Cabinet", "Foundation"],
        "CabinetServer": platform.union(["Cabinet", "CabinetWire", "COpenSSL", "CryptoKit", "Security"]),
        "CabinetListener": platform.union(["Cabinet", "CabinetServer", "CMicroHTTPD"]),
        "CabinetRemote": platform.union([
            "Cabinet", "CabinetWire", "CCurl", "COpenSSL", "CryptoKit", "FoundationNetworking",
        ]),
        "CabinetICloud": ["Cabinet", "CloudKit", "CoreLocation", "Foundation", "Synchronization"],
        "CabinetMirror": ["Cabinet", "Foundation", "Synchronization"],
        "CabinetEncryption": platform.union(["Cabinet", "COpenSSL", "CryptoKit"]),
        "CabinetTools": ["Cabinet", "CabinetWire", "Foundation", "Synchronization"],
        "CabinetDashboard": [
            "Cabinet", "CabinetServer", "CabinetTools", "CabinetWire", "Foundation", "Synchronization",
        ],
        "CabinetCLI": platform.union([
            "Cabinet", "CabinetDashboard", "CabinetListener", "CabinetMirror", "CabinetPostgres", "CabinetRemote",
            "CabinetServer", "CabinetSQLite", "CabinetTools", "CabinetWire", shared,
        ]),
        "CabinetConformance": platform.union(["Cabinet", "CabinetTesting", "CabinetTools"]),
        "CabinetCloudKit": platform.union([
            "Cabinet", "CabinetEncryption", "CabinetRemote", "CabinetSQLite", "CoreLocation",
        ]),
        "CloudKit": ["CabinetCloudKit"],
        "CoreLocation": ["Foundation"],
        shared: platform,
    ]

    /// The module that the programs share, which does not depend on Cabinet.
    static let shared = "TerminalProgram"

    /// The library of the article "Getting started", which its program imports.
    static let guideLibrary = "Groceries"

    /// The module that the shopping list and the notes share.
    static let exampleSupport = "ExampleSupport"

    /// The imports of a file in `Sources/<module>` or `Examples/<name>` that point the wrong way.
    ///
    /// - Parameter products: The names of the package's library products, which an example may import.
    static func violations(in file: SourceText, products: Set<String>) -> [Violation] {
        let folders = file.path.split(separator: "/").map(String.init)
        guard folders.count > 2 else { return [] }
        let isExample = folders[0] == "Examples"
        let ofExamples = platform.union(products).union([shared, guideLibrary, exampleSupport])
        guard let allowed = isExample ? ofExamples : allowed[folders[1]]
        else {
            let message = "\(folders[1]) has no arrows: say in Tests/PackageTests/ArrowCheck.swift what it may import"
            return [Violation(path: file.path, line: 1, message: message)]
        }
        return imports(in: file).filter { !allowed.contains($0.module) || $0.isTestable }.map { found in
            let reason =
                found.isTestable
                ? "@testable import stands in tests only"
                : "\(folders[1]) must not import \(found.module), only \(allowed.sorted().joined(separator: ", "))"
            return Violation(path: file.path, line: found.line, message: reason)
        }
    }

    /// Finds the lines of Cabinet's own module that contain SQL, in code or in a string; comments may.
    static func sqlWords(in file: SourceText) -> [Violation] {
        let words =
            #/
            (?i:sql|postgres)
            | \b(?:SELECT|INSERT\ INTO|DELETE\ FROM|CREATE\ TABLE|ALTER\ TABLE|ORDER\ BY|PRAGMA)\b
            /#
        return file.linesWithoutComments.enumerated().compactMap { index, line in
            line.firstMatch(of: words).map { match in
                let message = "'\(match.output)' is a word of SQL, which belongs in a backend, not in Cabinet"
                return Violation(path: file.path, line: index + 1, message: message)
            }
        }
    }

    /// The names of the library products that a manifest declares.
    static func libraryProducts(inManifest text: String) -> Set<String> {
        Set(text.matches(of: #/\.library\(\s*name: "(\w+)"/#).map { String($0.1) })
    }

    /// Finds the imports of test modules that their target does not depend on.
    ///
    /// They compile if another target was compiled before, as in an old build, but not on a fresh clone.
    ///
    /// - Parameter dependencies: The direct dependencies of each target, as ``dependencies(inManifest:)`` returns them.
    static func undeclared(in file: SourceText, dependencies: [String: Set<String>]) -> [Violation] {
        let folders = file.path.split(separator: "/").map(String.init)
        guard let target = folders.dropFirst(folders.dropFirst().first == "Support" ? 2 : 1).first,
            let direct = dependencies[target]
        else { return [] }
        let others = imports(in: file).filter { dependencies[$0.module] != nil && !direct.contains($0.module) }
        if others.isEmpty { return [] }
        var declared = direct
        while true {
            let all = declared.union(declared.flatMap { dependencies[$0] ?? [] })
            if all == declared { break }
            declared = all
        }
        return others.filter { !declared.contains($0.module) }.map {
            let message = "\($0.module) is not a dependency of \(target) in Package.swift"
            return Violation(path: file.path, line: $0.line, message: message)
        }
    }

    /// The direct dependencies of the targets that a manifest declares.
    static func dependencies(inManifest text: String) -> [String: Set<String>] {
        let lists = text.matches(of: #/let (\w+): \[Target\.Dependency\] = \[(.*?)\]/#).map {
            (String($0.1), names(in: $0.2))
        }
        let targets = text.matches(
            of: #/(?s)[tT]arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[(.*?)\](?:\s*\+\s*(\w+))?)?/#)
        return Dictionary(
            targets.map { target in
                let further = lists.filter { target.3.map(String.init) == $0.0 }.flatMap(\.1)
                return (String(target.1), names(in: target.2 ?? "").union(further))
            }, uniquingKeysWith: { $0.union($1) })
    }

    private static func names(in list: Substring) -> Set<String> {
        Set(list.matches(of: #/"(\w+)"/#).map { String($0.1) })
    }

    private static func imports(in file: SourceText) -> [(module: String, line: Int, isTestable: Bool)] {
        let pattern =
            #/
            ^\s* (?<attributes> (?:@\w+(?:\([^)]*\))? \s+)*)
            (?:(?:public|package|internal|fileprivate|private) \s+)?
            import \s+ (?:(?:struct|class|enum|protocol|typealias|func|let|var) \s+)?
            (?<module> \w+)
            /#
        return file.code.enumerated().compactMap { index, line in
            guard line.hasBytes(of: "import"), let match = line.firstMatch(of: pattern) else { return nil }
            return (String(match.module), index + 1, match.attributes.contains("@testable"))
        }
    }
}

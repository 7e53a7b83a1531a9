import Foundation
import Testing

/// A requirement that has a default is easily forgotten by what wraps a backend, which then hides what the backend can do.
@Suite("What wraps a backend passes everything on")
struct WrapperTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    private static func text(_ paths: [String]) throws -> String {
        try paths.map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }.joined(separator: "\n")
    }

    /// The functions that a text declares, by name and labels: `read(_:_:)`.
    private static func functions(in text: some StringProtocol) -> Set<String> {
        let text = String(text)
        return Set(
            text.matches(of: #/\bfunc (\w+)(?:<[^>]*>)?\(([^{}]*?)\) *(?:async|throws|->|\{|\n)/#).map { match in
                let labels = match.2.matches(of: #/(?:^|, *|\n *)(\w+)(?: +\w+)?: /#).map { "\($0.1):" }
                return "\(match.1)(\(labels.joined()))"
            })
    }

    /// The requirements of a protocol.
    private static func requirements(of name: String, in path: String) throws -> Set<String> {
        let text = try text([path])
        let start = try #require(text.range(of: "public protocol \(name)"))
        let end = try #require(text.range(of: "\n}\n", range: start.upperBound..<text.endIndex))
        return functions(in: text[start.upperBound..<end.lowerBound])
    }

    @Test(
        "Backends",
        arguments: [
            ["Sources/CabinetTesting/Faults/FaultInjectingBackend.swift"],
            ["Sources/CabinetConformance/Model/PartitionedBackend.swift"],
            ["Sources/CabinetConformance/IndexingBackend.swift"],
        ])
    func backends(paths: [String]) throws {
        let required = try Self.requirements(of: "StorageBackend", in: "Sources/Cabinet/Storage/StorageBackend.swift")
        #expect(required.isSuperset(of: ["read(_:_:)", "changeSignals(of:)", "files(of:in:)", "close()"]))
        #expect(required.subtracting(Self.functions(in: try Self.text(paths))) == [])
    }

    @Test(
        "Uploads",
        arguments: ["Sources/CabinetTesting/Faults/FaultInjectingBackend.swift"])
    func uploads(file: String) throws {
        let required = try Self.requirements(of: "AssetUpload", in: "Sources/Cabinet/Storage/AssetUpload.swift")
        #expect(required.contains("append(_:)"))
        #expect(required.subtracting(Self.functions(in: try Self.text([file]))) == [])
    }

    @Test("The views of mutants")
    func views() throws {
        let backend = "Sources/Cabinet/Storage/"
        let snapshot = try Self.requirements(of: "StorageSnapshot", in: backend + "StorageSnapshot.swift")
        let all = snapshot.union(
            try Self.requirements(of: "StorageTransaction", in: backend + "StorageTransaction.swift"))
        #expect(all.isSuperset(of: ["records(for:keys:)", "add(_:uploadedAs:)"]))
        let folder = "Tests/CabinetConformanceTests/Mutants/"
        let extensions = try ["Assets", "Verification"].map { try Self.text([folder + "MutantBackend+\($0).swift"]) }
        for name in ["MutantView", "ReadOnlyTransaction", "AutocommitTransaction"] {
            let file = folder + (name == "MutantView" ? "MutantBackend" : name) + ".swift"
            var found = Self.functions(in: try Self.text([file]))
            for text in extensions {
                let start = try #require(text.range(of: "extension \(name) {"))
                let end = try #require(text.range(of: "\n}\n", range: start.upperBound..<text.endIndex))
                found.formUnion(Self.functions(in: text[start.upperBound..<end.lowerBound]))
            }
            #expect((name == "ReadOnlyTransaction" ? snapshot : all).subtracting(found) == [], "\(name)")
        }
    }
}

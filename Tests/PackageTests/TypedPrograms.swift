import Foundation

/// Programs with typed fields, which the compiler checks against the module that was built next to these tests.
enum TypedPrograms {
    /// The declarations that the programs use.
    static let declarations = """
        import Cabinet
        import Foundation
        enum Kind: String, RecordValue { case food, drink }
        enum Plain: String { case some }
        struct Point { var x: Int }
        struct Address: JSONRecordValue {
            struct Fields: JSONFields {
                let city = Field<String>("city")
                let floor = Field<Int?>("floor")
            }
            var city: String
            var floor: Int?
        }
        struct Lists: RecordFields {
            static let recordType = "Lists"
            let name = Field<String>("name")
        }
        struct Tags: RecordFields {
            static let recordType = "Tags"
            let name = Field<String>("name")
        }
        struct Items: RecordFields {
            static let recordType = "Items"
            let name = Field<String>("name", index: .sortable)
            let number = Field<Int>("number", default: 1)
            let kind = Field<Kind?>("kind")
            let isOpen = Field<Bool>("isOpen", default: true)
            let price = Field<Double?>("price")
            let due = Field<Date?>("due")
            let place = Field<Location?>("place")
            let sizes = Field<[Int]>("sizes")
            let prices = Field<[Double]>("prices")
            let address = Field<Address?>("address")
            let list = Link<Lists>("list", onDelete: .deleteSelf)
            let tags = Links<Tags>("tags", onDelete: .nullify)
            let subject = Link<OneOf<Lists, Tags>>("subject")
        }
        struct Notes: RecordFields {
            struct Required: Encodable { var text: String; var list: Typed<Lists>.ID }
            static let recordType = "Notes"
            let text = Field<String>("text")
            let list = Link<Lists>("list")
        }
        """

    /// The result of checking a program.
    struct Outcome {
        let succeeded: Bool
        /// The compiler's messages.
        let messages: String
        /// The messages about each line of the statements, beginning with 1.
        let messagesByLine: [Int: String]
    }

    struct NoModule: Error {}

    /// Has the compiler check the types of statements in a function that has two tables and records of them.
    ///
    /// - Parameters:
    ///   - statements: The statements, one a line.
    ///   - scopes: The maximum number of choices of overloads that the compiler may try for one expression. Unlike a time, it
    ///     does not depend on the machine.
    static func check(_ statements: String, scopes: Int = 100_000) throws -> Outcome {
        guard let modules = moduleFolder() else { throw NoModule() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let head = """
            \(declarations)
            func run(
                _ items: Table<Items>, _ notes: Table<Notes>, _ item: Typed<Items>, _ tag: Typed<Tags>, _ list: Typed<Lists>,
                _ here: Location
            ) async throws {
                var item = item
                _ = item

            """
        let file = folder.appendingPathComponent("Program.swift")
        try Data("\(head)\(statements)\n}\n".utf8).write(to: file)
        let output = folder.appendingPathComponent("messages.txt")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-frontend", "-typecheck", "-primary-file", file.path, "-module-name", "Program",
            "-parse-as-library", "-swift-version", "6", "-I", modules.path, "-I",
            PackageFiles.root.appendingPathComponent("Sources/CSHA256/include").path,
            "-solver-scope-threshold=\(scopes)", "-diagnostic-style", "llvm",
        ]
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let messages = try String(contentsOf: output, encoding: .utf8)
        let first = head.split(separator: "\n", omittingEmptySubsequences: false).count
        return Outcome(
            succeeded: process.terminationStatus == 0, messages: messages,
            messagesByLine: byLine(messages, after: first - 1))
    }

    /// Groups messages by line; a message about another file belongs to the one before it.
    private static func byLine(_ messages: String, after first: Int) -> [Int: String] {
        var (result, current): ([Int: String], Int) = ([:], 0)
        for line in messages.split(separator: "\n") {
            if let match = line.firstMatch(of: #/^\S*Program\.swift:(?<line>\d+):\d+: error/#),
                let number = Int(match.line)
            {
                current = number - first
            }
            result[current, default: ""] += "\(line)\n"
        }
        return result
    }

    /// The folder of the modules, which the build puts beside the test bundle.
    private static func moduleFolder() -> URL? {
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(fileURLWithPath: argument)
            while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
            let modules = folder.appendingPathComponent("Modules")
            if FileManager.default.fileExists(atPath: modules.appendingPathComponent("Cabinet.swiftmodule").path) {
                return modules
            }
        }
        return nil
    }
}

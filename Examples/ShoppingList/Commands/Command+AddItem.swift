import Foundation
import TerminalProgram

extension Command {
    static let addItem = Command(
        words: ["items", "add"], parameters: ["LIST", "[NAME]"],
        options: [
            Option(name: "--number", value: "N", summary: "The number to buy (default: 1)"),
            Option(name: "--from-file", value: "FILE", summary: "Add an item for each line of a file; - is the input"),
        ],
        summary: "Add an item to a list, or many from a file",
        details: """
            All names of a file are checked first. Then the items are saved and printed, 400 at a time. If that fails, the
            printed ones are saved and no others.
            """
    ) { call in
        let names = try await names(for: call)
        let number = try call.arguments.options["--number"].map(number(from:)) ?? 1
        try await call.withStore { store in
            let list = try await call.list(in: store)
            try await store.addItems(named: names, number: number, to: list) { call.show(items: $0) }
        }
    }

    /// The names to add: the given one, or those in the file.
    ///
    /// All of them are added, or none if one is blank.
    private static func names(for call: Invocation) async throws -> [String] {
        let hasName = call.arguments.parameters.count == 2
        switch (hasName, call.arguments.options["--from-file"]) {
        case (true, nil):
            return [try call.name(1)]
        case (false, let file?):
            let lines = file == "-" ? try await call.console.remainingLines() : try lines(ofFile: file)
            return try lines.enumerated().map { index, line in
                guard let name = Name(line) else {
                    throw CommandError.usage("A name cannot be blank: line \(index + 1).")
                }
                return name.text
            }
        case (true, _?), (false, nil):
            throw CommandError.usage("Give either a NAME or --from-file. See: shopping-list items add --help")
        }
    }

    private static func lines(ofFile path: String) throws -> [String] {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw CommandError(
                .failure, "\(path) cannot be read as text: \(error.localizedDescription)")
        }
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        // The last line ends with a line break, after which the text is empty.
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

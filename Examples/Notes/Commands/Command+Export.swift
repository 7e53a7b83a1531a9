import Foundation
import TerminalProgram

extension Command {
    static let export = Command(
        words: ["export"], parameters: ["DIR"], summary: "Write a page for a browser, with all notes",
        details: """
            The folder gets a file index.html and a folder with the pictures. It must be new or empty.
            A picture that cannot be read is left out, and reported; the rest is exported.
            """
    ) { call in
        let folder = URL(filePath: try call.parameter(0), directoryHint: .isDirectory)
        try await call.withStore { store in
            let export = try await call.console.showing("Exporting") { progress in
                try await Export.write(from: store, to: folder, progress: progress.report)
            }
            call.console.write(export.page.path)
            if !export.failures.isEmpty {
                throw CommandError(.failure, export.failures.joined(separator: "\n"))
            }
        }
    }
}

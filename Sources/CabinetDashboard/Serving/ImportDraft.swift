import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// A file to import with its assets, in a folder of its own, until its import is confirmed.
struct ImportDraft: Sendable {
    /// The lines that the import reads.
    let lines: URL
    /// The folder that the assets lie in.
    let folder: TemporaryDirectory
    let fileName: String
    /// The number of bytes of all files.
    let size: Int64
}

extension ImportDraft {
    /// Creates a draft from the files of a form.
    ///
    /// - Parameter convert: Writes the lines of a file to another one; `nil` if the file has them already.
    init(_ form: HTTPForm, convert: ((_ file: URL, _ lines: URL) throws -> Void)?) throws {
        guard let file = form.file("file") else { throw CabinetError(.invalidArguments, "No file was chosen.") }
        let parent = FileManager.default.temporaryDirectory.appending(path: "cabinet-imports-\(geteuid())")
        let folder = try TemporaryDirectory(inOwn: parent)
        // Only the ending of the name has a meaning.
        let ending = file.name.lowercased().hasSuffix(".csv") ? "csv" : "jsonl"
        let source = folder.url.appending(path: "file.\(ending)")
        try FileManager.default.moveItem(at: file.url, to: source)
        for asset in form.files where asset.field == "assets" { try Self.store(asset, in: folder.url) }
        var lines = source
        if let convert {
            lines = folder.url.appending(path: "lines.jsonl")
            try convert(source, lines)
        }
        self.init(
            lines: lines, folder: folder, fileName: file.name, size: form.files.reduce(0) { $0 + $1.size })
    }

    /// Stores a file of an asset under its path in the folder that was chosen.
    private static func store(_ file: HTTPForm.File, in folder: URL) throws {
        let parts = file.name.split(separator: "/").map(String.init)
        let isSafe = parts.allSatisfy { part in
            part != "." && part != ".." && part.utf8.count < 256 && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard isSafe, (1...8).contains(parts.count) else {
            throw CabinetError(.invalidArguments, "The file '\(file.name.shown(80))' cannot be the file of an asset.")
        }
        var target = folder
        for part in parts.dropLast() { target.append(path: part, directoryHint: .isDirectory) }
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        target.append(path: parts[parts.count - 1])
        guard !FileManager.default.fileExists(atPath: target.path) else {
            throw CabinetError(.invalidArguments, "Two files have the name '\(file.name.shown(80))'.")
        }
        try FileManager.default.moveItem(at: file.url, to: target)
    }
}

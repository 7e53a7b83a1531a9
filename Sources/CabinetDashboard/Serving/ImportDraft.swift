import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// A file to import with its assets, in a folder of its own, until its import is confirmed.
struct ImportDraft: Sendable {
    /// The lines that the import reads.
    let lines: URL
    /// The folder that the assets lie below.
    let assets: URL
    /// The folder of all files, which is removed with the draft.
    let folder: TemporaryDirectory
    let fileName: String
    /// The number of bytes of all files.
    let size: Int64
}

extension ImportDraft {
    /// Creates a draft from the files of a form: records and assets, or an archive of both.
    ///
    /// - Parameter convert: Writes the lines of a file to another one; `nil` if the file has them already.
    init(_ form: HTTPForm, convert: ((_ file: URL, _ lines: URL) throws -> Void)?) throws {
        guard let file = form.file("file") else { throw CabinetError(.invalidArguments, "No file was chosen.") }
        let folder = try TemporaryDirectory(for: "imports")
        // The names of what was sent are in a folder of their own.
        let assets = folder.url.appending(path: "sent", directoryHint: .isDirectory)
        var source: URL
        if ZipReader.isArchive(file.url) {
            source = try ZipReader.unpack(file.url, to: assets)
        } else {
            // Only the ending of the name has a meaning.
            source = folder.url.appending(path: "file.\(file.name.lowercased().hasSuffix(".csv") ? "csv" : "jsonl")")
            try FileManager.default.moveItem(at: file.url, to: source)
        }
        for asset in form.files where asset.field == "assets" {
            try FileManager.default.moveItem(at: asset.url, to: try ArchivePath.url(of: asset.name, in: assets))
        }
        if let convert {
            let lines = folder.url.appending(path: "lines.jsonl")
            try convert(source, lines)
            source = lines
        } else if RowConversion.isTable(source) {
            throw CabinetError(.invalidArguments, "Name the record type of the rows.")
        }
        self.init(
            lines: source, assets: assets, folder: folder, fileName: file.name,
            size: form.files.reduce(0) { $0 + $1.size })
    }
}

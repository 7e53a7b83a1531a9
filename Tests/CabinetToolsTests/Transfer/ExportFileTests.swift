import Cabinet
import Foundation
import Testing

@testable import CabinetTools

@Suite("The file of an export")
struct ExportFileTests {
    private let folder: TemporaryDirectory
    private let file: URL
    private let files = FileManager.default

    init() throws {
        folder = try TemporaryDirectory(in: FileManager.default.temporaryDirectory.appending(path: "cabinet-files"))
        file = folder.url.appending(path: "coins.jsonl")
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test("Two exports do not write one file at once: the second is refused, and the first is complete")
    func twoExports() throws {
        var first = try ExportFile(file)
        try first.write([["x": .integer(1)]])
        let error = #expect(throws: CabinetError.self) { try ExportFile(file) }
        #expect(error?.code == .zoneBusy && error?.message.hasPrefix("Another export writes ") == true)
        try first.write([["x": .integer(2)]])
        try first.finish()
        #expect(try text(file) == "{\"x\":1}\n{\"x\":2}\n{\"end\":2}\n")
        // The next one begins, also while the handle of the first is open, which has no file to discard any more.
        var second = try ExportFile(file)
        first.discard()
        try second.write([["x": .integer(3)]])
        try second.finish()
        #expect(try text(file) == "{\"x\":3}\n{\"end\":1}\n")
        #expect(try files.contentsOfDirectory(atPath: folder.url.path) == ["coins.jsonl"])
    }

    @Test("A failed export leaves the file for the next one, and the rest of a killed export is replaced")
    func leftovers() throws {
        let failed = try ExportFile(file)
        failed.discard()
        #expect(try files.contentsOfDirectory(atPath: folder.url.path) == [])
        try Data("the rest of a killed export, which is longer".utf8).write(to: file.appendingPathExtension("partial"))
        var next = try ExportFile(file)
        try next.write([["x": .integer(1)]])
        try next.finish()
        #expect(try text(file) == "{\"x\":1}\n{\"end\":1}\n")
    }

    @Test("The preview of an import refuses an export that lacks lines")
    func preview() throws {
        let lines = [
            #"{"cabinet":2,"schema":"DEFINE SCHEMA RECORD TYPE T (name STRING);"}"#,
            #"{"recordName":"a","recordType":"T","fields":{}}"#, #"{"end":2}"#,
        ]
        for lost in lines.indices {
            let rest = lines.enumerated().filter { $0.offset != lost }.map(\.element)
            try Data(rest.joined(separator: "\n").utf8).write(to: file)
            #expect(throws: CabinetError(.invalidArguments)) { try ImportPreview(of: file) }
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        #expect(try ImportPreview(of: file).counts == ["T": 1])
    }

    @Test("A link under the name of the partial file is not followed")
    func links() throws {
        let other = folder.url.appending(path: "other")
        try Data("a thesis".utf8).write(to: other)
        try files.createSymbolicLink(at: file.appendingPathExtension("partial"), withDestinationURL: other)
        #expect(throws: CabinetError(.permissionFailure)) { try ExportFile(file) }
        #expect(try text(other) == "a thesis")
    }

    @Test("A file that is written again without a zone is not that of another export")
    func droppedZones() throws {
        let zone = RecordZone.ID(zoneName: "Work")
        var first = try ExportFile(file)
        try first.write([["x": .integer(1)]])
        try first.write([["x": .integer(2)]], of: zone)
        try first.write([["x": .integer(3)]])
        first.drop(zone)
        let kept = file.appendingPathExtension("partial.kept")
        try Data("bytes of another export".utf8).write(to: kept)
        let handle = try FileHandle(forReadingFrom: kept)
        #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: CabinetError(.zoneBusy)) { try first.finish() }
        #expect(try text(kept) == "bytes of another export")
        try handle.close()
        try first.finish()
        #expect(try text(file) == "{\"x\":1}\n{\"x\":3}\n{\"end\":2}\n")
        #expect(try files.contentsOfDirectory(atPath: folder.url.path) == ["coins.jsonl"])
    }

    @Test("A folder whose names do not reach the disk is named, with the reason")
    func missingFolder() throws {
        let none = folder.url.appending(path: "none")
        let error = #expect(throws: CabinetError.self) { try none.synchronizeFolder() }
        #expect(error?.code == .internalError)
        #expect(error?.message == "The folder \(none.path) cannot be synchronized: No such file or directory.")
    }

    @Test("A partial file that another program has replaced does not become the export")
    func replacedFile() throws {
        let partial = file.appendingPathExtension("partial")
        var export = try ExportFile(file)
        try export.write([["x": .integer(1)]])
        try files.removeItem(at: partial)
        try Data("a thesis".utf8).write(to: partial)
        #expect(throws: CabinetError(.permissionFailure)) { try export.finish() }
        export.discard()
        #expect(try text(partial) == "a thesis")
        #expect(!files.fileExists(atPath: file.path))
    }
}

import Foundation
import Testing

@testable import Cabinet

@Suite("A file that is named when it is complete")
struct PartialFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("partial-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ text: String) throws -> PartialFile {
        let file = try PartialFile(at: target) { CabinetError(.internalError, "\($0)") }
        try file.append(Data(text.utf8))
        return file
    }

    private var target: URL { folder.appendingPathComponent("file") }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    }

    private var permissions: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int }
    }

    @Test("replaces another one, and only its owner may read it", arguments: [true, false])
    func replacement(isDurable: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
        try file("new").finish(isDurable: isDurable)
        #expect(try String(contentsOf: target, encoding: .utf8) == "new")
        #expect(try names == ["file"] && permissions == 0o600)
    }

    @Test("replaces none if it must not")
    func name() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<2 {
            try file("first").finishUnlessNamed()
            #expect(try names == ["file"] && permissions == 0o600)
        }
        try file("second").finishUnlessNamed()
        #expect(try String(contentsOf: target, encoding: .utf8) == "first" && names == ["file"])
    }

    @Test("leaves nothing if it is not finished, or cannot be named")
    func failures() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try file("half")
        #expect(try names == [])
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let error = #expect(throws: CabinetError.self) { try file("new").finish() }
        #expect(error?.message == "\(EISDIR)")
        #expect(try names == ["file"])
        try FileManager.default.removeItem(at: folder)
        let missing = #expect(throws: CabinetError.self) { try file("new") }
        #expect(missing?.message == "\(ENOENT)")
    }
}

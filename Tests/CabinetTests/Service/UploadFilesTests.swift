import Foundation
import Testing

@testable import Cabinet

@Suite("The files of uploads")
struct UploadFilesTests {
    private let files = UploadFiles()

    @Test("have each byte once, however often it is sent")
    func repetition() throws {
        defer { files.close() }
        let id = try files.begin()
        try files.append(Data([1, 2, 3]), to: id, at: 0)
        try files.append(Data([1, 2, 3]), to: id, at: 0)
        try files.append(Data([3, 4]), to: id, at: 2)
        try files.append(Data([2]), to: id, at: 1)
        #expect(try Data(contentsOf: files.file(of: id)) == Data([1, 2, 3, 4]))
        let asset = try files.finish(id)
        var hash = SHA256()
        hash.update(Data([1, 2, 3, 4]))
        #expect(asset == StoredAsset(checksum: hash.checksum, size: 4))
        #expect(try files.finish(id) == asset)
        #expect(try files.file(of: asset) == files.file(of: id))
    }

    @Test("refuse gaps, negative offsets, finished uploads, large calls and unknown uploads")
    func refusals() throws {
        defer { files.close() }
        let id = try files.begin()
        for offset in [1, -1, .min, .max] as [Int64] {
            #expect(throws: CabinetError(.invalidArguments)) { try files.append(Data([1]), to: id, at: offset) }
        }
        #expect(throws: CabinetError(.limitExceeded)) {
            try files.append(Data(count: (1 << 20) + 1), to: id, at: 0)
        }
        _ = try files.finish(id)
        #expect(throws: CabinetError(.invalidArguments)) { try files.append(Data([1]), to: id, at: 0) }
        files.end([id, UUID()])
        #expect(throws: CabinetError(.unknownItem)) { try files.append(Data([1]), to: id, at: 0) }
        #expect(throws: CabinetError(.unknownItem)) { try files.finish(id) }
        #expect(throws: CabinetError(.unknownItem)) { try files.file(of: id) }
    }

    @Test("end with the object, or after an idle time when the next begins")
    func ends() throws {
        let files = UploadFiles(idleLimit: .zero)
        let first = try files.begin()
        let file = try files.file(of: first)
        #expect(FileManager.default.fileExists(atPath: file.path))
        let second = try files.begin()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(throws: CabinetError(.unknownItem)) { try files.finish(first) }
        let other = try files.file(of: second)
        files.close()
        #expect(!FileManager.default.fileExists(atPath: other.deletingLastPathComponent().path))
    }
}

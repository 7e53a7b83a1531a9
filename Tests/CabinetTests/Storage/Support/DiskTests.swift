import Foundation
import Testing

@testable import Cabinet

@Suite("Names of files on the disk")
struct DiskTests {
    @Test("A new folder gets its permissions, with those above it, and an existing one stays")
    func folders() throws {
        let top = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID())")
        defer { try? FileManager.default.removeItem(at: top) }
        let folder = top.appendingPathComponent("a/b")
        for permissions in [0o700, 0o755] {
            try Disk.createFolder(at: folder, attributes: [.posixPermissions: permissions])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        try Data().write(to: top.appendingPathComponent("file"))
        #expect(throws: (any Error).self) { try Disk.createFolder(at: top.appendingPathComponent("file/c")) }
    }

    @Test(
        "The code of a file that cannot be written says why",
        arguments: [
            (ENOSPC, .quotaExceeded), (EDQUOT, .quotaExceeded), (EFBIG, .quotaExceeded), (EACCES, .permissionFailure),
            (EPERM, .permissionFailure), (EROFS, .permissionFailure), (EIO, .internalError),
        ] as [(Int32, CabinetError.Code)])
    func code(number: Int32, code: CabinetError.Code) {
        #expect(Disk.code(of: number) == code)
    }

    @Test("A folder that is missing is an error, also if one that cannot be read is skipped")
    func missingFolder() {
        for skipsUnreadable in [false, true] {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID())").path
            let error = #expect(throws: CabinetError.self) {
                try Disk.synchronize(folder: path, skipsUnreadable: skipsUnreadable) {
                    CabinetError(.internalError, "\($0)")
                }
            }
            #expect(error?.message == "\(ENOENT)")
        }
    }

    #if compiler(>=6.2) && canImport(Glibc)
    @Test("A file gets its name in a folder that may be written to, and not read")
    func unreadableFolder() async {
        // The user is one of the process.
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(chmod(folder.path, 0o333) == 0)
            // The system's administrator may read everything, so another user has to try.
            if geteuid() == 0 { #expect(seteuid(65534) == 0) }
            defer {
                _ = seteuid(getuid())
                chmod(folder.path, 0o755)
                try? FileManager.default.removeItem(at: folder)
            }
            let target = folder.appendingPathComponent("file")
            for text in ["first", "second"] {
                let file = try PartialFile(at: target) { CabinetError(.internalError, "\($0)") }
                try file.append(Data(text.utf8))
                try file.finish()
                #expect(try Data(contentsOf: target) == Data(text.utf8))
            }
            let error = #expect(throws: CabinetError.self) {
                try Disk.synchronize(folder: folder.path) { CabinetError(.internalError, "\($0)") }
            }
            #expect(error?.message == "\(EACCES)")
        }
    }
    #endif
}

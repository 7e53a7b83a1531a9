import Cabinet
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("File access")
struct FileAccessTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return Int(status.st_mode & 0o7777)
    }

    @Test("New files and folders have the permissions of the access", arguments: [FileAccess.owner, .group])
    func permissions(_ access: FileAccess) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let nested = folder.path + "/a/b/c"
        #expect(try access.createDirectory(atPath: nested))
        #expect(try !access.createDirectory(atPath: nested))
        let directories = [folder.path, folder.path + "/a", folder.path + "/a/b", nested]
        #expect(try directories.map(mode) == Array(repeating: access == .owner ? 0o700 : 0o770, count: 4))
        let file = nested + "/file"
        close(try access.createFile(atPath: file))
        #expect(try mode(file) == (access == .owner ? 0o600 : 0o660))
    }

    @Test("Existing files are left alone")
    func existing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileAccess.owner.createDirectory(atPath: folder.path)
        #expect(chmod(folder.path, 0o2755) == 0)
        #expect(try !FileAccess.owner.createDirectory(atPath: folder.path))
        #expect(try mode(folder.path) == 0o2755)
        // The group of a folder is inherited.
        try FileAccess.group.createDirectory(atPath: folder.path + "/shared")
        #if os(Linux)
        #expect(try mode(folder.path + "/shared") == 0o2770)
        #endif
        let file = folder.path + "/file"
        close(try FileAccess.owner.createFile(atPath: file))
        #expect(symlink(folder.path, folder.path + "/link") == 0)
        #expect(symlink(file + "2", folder.path + "/dangling") == 0)
        #expect(try !FileAccess.owner.createDirectory(atPath: folder.path + "/link"))
        for path in [file, folder.path + "/link", folder.path + "/dangling"] {
            let error = #expect(throws: POSIXError.self) { try FileAccess.owner.createFile(atPath: path) }
            #expect(error?.code == .EEXIST)
        }
        for path in [file, file + "/below", folder.path + "/dangling"] {
            let error = #expect(throws: POSIXError.self) { try FileAccess.owner.createDirectory(atPath: path) }
            #expect(error?.code == .ENOTDIR)
        }
    }

    @Test("A folder above is created only if that is allowed")
    func missingParent() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = #expect(throws: POSIXError.self) {
            try FileAccess.owner.createDirectory(atPath: folder.path + "/a", withIntermediateDirectories: false)
        }
        #expect(error?.code == .ENOENT)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        let fileError = #expect(throws: POSIXError.self) { try FileAccess.owner.createFile(atPath: folder.path + "/a") }
        #expect(fileError?.code == .ENOENT)
    }
}

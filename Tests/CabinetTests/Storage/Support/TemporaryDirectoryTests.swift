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

/// Directories that are removed with their owners.
@Suite(.timeLimit(.minutes(15))) struct TemporaryDirectoryTests {
    private let parent = FileManager.default.temporaryDirectory
        .appendingPathComponent("cabinet-\(UUID().uuidString)/a/b", isDirectory: true)

    private func removeParent() {
        try? FileManager.default.removeItem(at: parent.deletingLastPathComponent().deletingLastPathComponent())
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: parent.path) }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The leftovers of a killed process: the lock is no longer held.
    private func makeAbandoned(files: Int, hasLock: Bool = true) throws -> URL {
        let name = UUID().uuidString.lowercased()
        let url = parent.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(
            at: url.appendingPathComponent("x/y"), withIntermediateDirectories: true)
        for number in 0..<files {
            let file = url.appendingPathComponent("x/y/\(number)")
            try Data("bytes".utf8).write(to: file)
            chmod(file.path, 0o444)
        }
        if hasLock { try Data().write(to: parent.appendingPathComponent(name + ".lock")) }
        return url
    }

    @Test func itIsThereUntilItIsRemoved() throws {
        defer { removeParent() }
        let directory = try TemporaryDirectory(in: parent)
        try Data("bytes".utf8).write(to: directory.url.appendingPathComponent("file"))
        #expect(TemporaryDirectory.removeAbandoned(in: parent) == 0)
        let other = try TemporaryDirectory(in: parent)
        #expect(other.url != directory.url)
        #expect(exists(directory.url.appendingPathComponent("file")))
        directory.remove()
        #expect(!exists(directory.url))
        directory.remove()
        #expect(exists(other.url))
        #expect(try names.count == 2)
    }

    @Test func theDirectoryIsRemovedWithTheObject() throws {
        defer { removeParent() }
        do {
            let directory = try TemporaryDirectory(in: parent)
            try Data("bytes".utf8).write(to: directory.url.appendingPathComponent("file"))
        }
        #expect(try names.isEmpty)
    }

    @Test(arguments: [true, false]) func theNextOneRemovesWhatIsAbandoned(hasLock: Bool) throws {
        defer { removeParent() }
        let abandoned = try makeAbandoned(files: 3, hasLock: hasLock)
        let outside = parent.appendingPathComponent("outside")
        try Data().write(to: outside)
        try FileManager.default.createSymbolicLink(
            at: abandoned.appendingPathComponent("link"), withDestinationURL: parent)
        #expect(TemporaryDirectory.removeAbandoned(in: parent) == 4)
        #expect(try names == ["outside"])
        _ = try makeAbandoned(files: 1, hasLock: hasLock)
        let next = try TemporaryDirectory(in: parent)
        #expect(try Set(names) == ["outside", next.url.lastPathComponent, next.url.lastPathComponent + ".lock"])
        #expect(TemporaryDirectory.removeAbandoned(in: parent.appendingPathComponent("missing")) == 0)
    }

    /// Owners are created and released while every task removes directories that seem abandoned.
    @Test func ownedDirectoriesAreNotRemoved() throws {
        defer { removeParent() }
        let parent = parent
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<25 {
                do {
                    let directory = try TemporaryDirectory(in: parent)
                    let file = directory.url.appendingPathComponent("file")
                    try Data("bytes".utf8).write(to: file)
                    #expect(TemporaryDirectory.removeAbandoned(in: parent) == 0)
                    #expect(try Data(contentsOf: file) == Data("bytes".utf8))
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(try names.isEmpty)
    }

    @Test func aPurposeHasAFolderOfThisUser() throws {
        let purpose = UUID().uuidString
        let directory = try TemporaryDirectory(for: purpose)
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(purpose)-\(geteuid())")
        defer { try? FileManager.default.removeItem(at: parent) }
        #expect(directory.url.deletingLastPathComponent().path == parent.path)
        #expect(try FileManager.default.attributesOfItem(atPath: parent.path)[.posixPermissions] as? Int == 0o700)
    }

    @Test func anUnwritableDirectoryIsReported() throws {
        defer { removeParent() }
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        let file = parent.appendingPathComponent("file")
        try Data().write(to: file)
        for place in [file, file.appendingPathComponent("x")] {
            let error = #expect(throws: CabinetError.self) { try TemporaryDirectory(in: place) }
            #expect(error?.code == .badContainer)
        }
    }
}

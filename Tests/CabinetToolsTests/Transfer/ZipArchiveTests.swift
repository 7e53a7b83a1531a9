import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetTools

@Suite("Archives of exports")
struct ZipArchiveTests {
    /// An archive in memory.
    private final class Bytes: Sendable {
        let data = Mutex(Data())
    }

    private static let files = [
        "a.txt": Data("123456789".utf8), "empty": Data(),
        "folder/ü.bin": Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0) }),
    ]

    @Test("have the known checksum of nine digits")
    func checksum() {
        var checksum = CRC32()
        checksum.update(Data("1234".utf8))
        checksum.update(Data("56789".utf8))
        #expect(checksum.value == 0xCBF4_3926)
    }

    @Test(
        "are unpacked by another program, also with sizes, positions and numbers of 64 bits", arguments: [false, true])
    func unpacking(_ isLarge: Bool) async throws {
        let folder = try TemporaryDirectory(in: FileManager.default.temporaryDirectory.appending(path: "cabinet-zips"))
        let archive = Bytes()
        var zip = try ZipArchive(in: folder.url) { bytes in archive.data.withLock { $0 += bytes } }
        if isLarge { (zip.sizeLimit, zip.countLimit) = (5, 2) }
        for (name, bytes) in Self.files.sorted(by: { $0.key < $1.key }) {
            let file = folder.url.appending(path: "file")
            try bytes.write(to: file)
            try await zip.add(file, named: name)
        }
        try await zip.finish()
        let path = folder.url.appending(path: "a.zip")
        try archive.data.withLock(\.self).write(to: path)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as file:
                assert file.testzip() is None
                print(*sorted((i.filename, i.file_size, i.compress_type, i.extract_version) for i in file.infolist()), sep="\\n")
            """
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = ["python3", "-c", script, path.path]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        let versions = isLarge ? (45, 45, 45) : (20, 20, 20)
        #expect(
            text
                == "('a.txt', 9, 0, \(versions.0))\n('empty', 0, 0, \(versions.1))\n('folder/ü.bin', 600000, 0, \(versions.2))\n"
        )
    }
}

import Cabinet
import Foundation
import Testing

@testable import CabinetTools

@Suite("Archives to import")
struct ZipReaderTests {
    /// A file of an archive, with what its two descriptions say.
    private struct File {
        var name: [UInt8]
        var bytes: [UInt8]
        var method: UInt16 = 0
        var flags: UInt16 = 0x0800
        /// The size and the checksum in the list; `nil` for the true ones.
        var listedSize: UInt32?
        var checksum: UInt32?
        /// The name and the size in front of the bytes; `nil` for those of the list.
        var ownName: [UInt8]?
        var ownSize: UInt32?
        /// The position of the bytes that the list names; `nil` for the true one.
        var offset: UInt32?

        init(_ name: String, _ bytes: String = "bytes") {
            (self.name, self.bytes) = (Array(name.utf8), Array(bytes.utf8))
        }

        func with(_ change: (inout Self) -> Void) -> Self {
            var file = self
            change(&file)
            return file
        }
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func archive(_ files: [File], comment: String = "", count: Int? = nil, listShift: Int = 0) -> Data {
        var (data, list): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            var checksum = CRC32()
            checksum.update(Data(file.bytes))
            let sum = file.checksum ?? checksum.value
            let size = file.listedSize ?? UInt32(file.bytes.count)
            let offset = file.offset ?? UInt32(data.count)
            let ownName = file.ownName ?? file.name
            let head = little(UInt16(20)) + little(file.flags) + little(file.method) + [0, 0, 0x21, 0]
            let ownSize = little(file.ownSize ?? size)
            data += little(UInt32(0x0403_4B50)) + head + little(sum) + ownSize + ownSize
            data += little(UInt16(ownName.count)) + [0, 0] + ownName + file.bytes
            list += little(UInt32(0x0201_4B50)) + [45, 3] + head + little(sum) + little(size) + little(size)
            list += little(UInt16(file.name.count)) + [UInt8](repeating: 0, count: 12) + little(offset) + file.name
        }
        let number = little(UInt16(count ?? files.count))
        let end =
            little(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + number + number + little(UInt32(list.count))
            + little(UInt32(data.count + listShift)) + little(UInt16(comment.utf8.count)) + Array(comment.utf8)
        return Data(data + list + end)
    }

    /// Unpacks an archive into a folder beside nothing else, and returns the files by their paths.
    private func unpacked(_ data: Data) throws -> [String: String] {
        let parent = FileManager.default.temporaryDirectory.appending(path: "cabinet-zips")
        let folder = try TemporaryDirectory(in: parent)
        let (file, target) = (folder.url.appending(path: "a.zip"), folder.url.appending(path: "deep/er/sent"))
        try data.write(to: file)
        let result = Result { try ZipReader.unpack(file, to: target) }
        // In any case, nothing lies outside of the folder.
        #expect(try paths(in: folder.url).allSatisfy { $0 == "a.zip" || $0.hasPrefix("deep/er/sent/") })
        _ = try result.get()
        return try Dictionary(
            uniqueKeysWithValues: paths(in: target).map {
                ($0, String(decoding: try Data(contentsOf: target.appending(path: $0)), as: UTF8.self))
            })
    }

    private func paths(in folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    private static let whole = [File("shop.jsonl.assets/abc", "picture"), File("shop.jsonl", "{}\n")]

    @Test("An archive is unpacked with its folders, also one with a comment, entries of folders and empty files")
    func files() throws {
        let expected = ["shop.jsonl": "{}\n", "shop.jsonl.assets/abc": "picture"]
        #expect(try unpacked(Self.archive(Self.whole)) == expected)
        #expect(try unpacked(Self.archive(Self.whole, comment: "made by hand")) == expected)
        #expect(try unpacked(Self.archive([File("shop.jsonl.assets/", "")] + Self.whole)) == expected)
        #expect(try unpacked(Self.archive([File("a.csv", "")])) == ["a.csv": ""])
    }

    @Test("An archive of this package is unpacked, also with numbers of 64 bits", arguments: [false, true])
    func ownArchives(_ isLarge: Bool) async throws {
        let folder = try TemporaryDirectory(in: FileManager.default.temporaryDirectory.appending(path: "cabinet-zips"))
        let target = folder.url.appending(path: "a.zip")
        #expect(FileManager.default.createFile(atPath: target.path, contents: nil))
        let handle = try FileHandle(forWritingTo: target)
        var zip = try ZipArchive(in: folder.url) { try handle.write(contentsOf: $0) }
        if isLarge { (zip.sizeLimit, zip.countLimit) = (5, 2) }
        for name in ["a.assets/ü", "a.assets/empty", "a.jsonl"] {
            let file = folder.url.appending(path: "file")
            try Data((name.hasSuffix("empty") ? "" : String(repeating: name, count: 60_000)).utf8).write(to: file)
            try await zip.add(file, named: name)
        }
        try await zip.finish()
        try handle.close()
        let files = try unpacked(try Data(contentsOf: target))
        #expect(files.mapValues(\.utf8.count) == ["a.assets/ü": 660_000, "a.assets/empty": 0, "a.jsonl": 420_000])
    }

    @Test(
        "A name that leads elsewhere, or that not every system has, is refused",
        arguments: [
            "../x", "a/../../x", "/etc/x", "a//b", "./a", "a/.", "..", "", "/", "a\\b", "a\u{0}b", "a\nb", "\u{7F}",
            "../\u{301}x", "/\u{301}x", "a/..\u{2F}\u{301}x", String(repeating: "a", count: 256), "a/b/c/d/e/f/g/h/i",
        ])
    func names(_ name: String) {
        #expect(throws: CabinetError(.invalidArguments)) { try unpacked(Self.archive(Self.whole + [File(name)])) }
        #expect(throws: CabinetError(.invalidArguments)) { try unpacked(Self.archive([File(name)] + Self.whole)) }
    }

    private static let hostile: [(String, Data)] = [
        ("a name that is not UTF-8", archive(whole + [File("x").with { $0.name = [0x61, 0xFF] }])),
        ("two files of a name", archive(whole + [File("shop.jsonl")])),
        ("a file and a folder of a name", archive(whole + [File("shop.jsonl.assets")])),
        ("a file below a file", archive(whole + [File("shop.jsonl/x")])),
        ("a folder with bytes", archive(whole + [File("folder/", "bytes")])),
        ("compressed bytes", archive(whole + [File("x").with { $0.method = 8 }])),
        ("encrypted bytes", archive(whole + [File("x").with { $0.flags = 0x0801 }])),
        ("another checksum", archive(whole + [File("x").with { $0.checksum = 7 }])),
        ("a larger size", archive(whole + [File("x").with { $0.listedSize = 9 }])),
        ("a smaller size", archive(whole + [File("x").with { $0.listedSize = 2 }])),
        ("a size beyond the end", archive(whole + [File("x").with { $0.listedSize = 1 << 30 }])),
        ("a size of 64 bits that is missing", archive(whole + [File("x").with { $0.listedSize = .max }])),
        ("another size in front", archive(whole + [File("x").with { $0.ownSize = 3 }])),
        ("another name in front", archive(whole + [File("x").with { $0.ownName = Array("y".utf8) }])),
        ("bytes of two files in common", archive(whole + [File("x").with { $0.offset = 0 }])),
        ("an offset beyond the end", archive(whole + [File("x").with { $0.offset = 1 << 30 }])),
        ("an offset of no file", archive(whole + [File("x").with { $0.offset = 90 }])),
        ("more files than listed", archive(whole, count: 1)),
        ("fewer files than listed", archive(whole, count: 3)),
        ("65,535 files in a short list", archive(whole, count: 0xFFFF)),
        ("a list elsewhere", archive(whole, listShift: 1)),
        ("a list before the start", archive(whole, listShift: -20)),
        ("no file", archive([])),
        ("no records", archive([File("a/b")])),
        ("two files of records", archive([File("a.jsonl"), File("b.jsonl")])),
        ("not an archive", Data("PK\u{3}\u{4}".utf8 + [UInt8](repeating: 0x41, count: 200))),
        (
            "an archive of several parts",
            {
                var data = archive(whole)
                data[data.count - 18] = 1
                return data
            }()
        ),
    ]

    @Test("A hostile archive is refused with the reason", arguments: hostile.indices)
    func refusals(_ index: Int) {
        let (name, data) = Self.hostile[index]
        let error = #expect(throws: CabinetError.self, "\(name)") { try unpacked(data) }
        #expect(error?.code == .invalidArguments && error?.message.isEmpty == false, "\(name): \(error?.message ?? "")")
    }

    @Test("An archive that is cut off anywhere is refused")
    func truncation() {
        let data = Self.archive(Self.whole)
        for length in 0..<data.count {
            #expect(throws: CabinetError(.invalidArguments), "\(length)") { try unpacked(data.prefix(length)) }
        }
    }

    @Test("No changed byte leads to other content, or out of the folder")
    func mutations() throws {
        let data = Self.archive(Self.whole)
        let contents = Set(["{}\n", "picture"])
        for position in data.indices {
            for bit in 0..<8 {
                var changed = data
                changed[position] ^= 1 << bit
                guard let files = try? unpacked(changed) else { continue }
                #expect(Set(files.values) == contents, "\(position) \(bit)")
            }
        }
    }
}

import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: the targets of an export, and the sources of an import")
struct ExportTargetTests {
    private let cabinet: CabinetProgram
    private let files = FileManager.default

    init() throws {
        cabinet = try CabinetProgram()
    }

    /// Runs a script in which `$cabinet` is the program.
    private func script(_ text: String) async throws -> Program.Outcome {
        let start = "cabinet='\(cabinet.program.executable.path)'; export CABINET_STORE='\(cabinet.store)'\n"
        return try await Program.installed("sh").run(["-c", start + text], in: cabinet.folder)
    }

    @Test("A pipe gets the lines, also as the output, and an import reads a pipe")
    func pipes() async throws {
        try await cabinet.saveCoins()
        let named = try await script(
            """
            mkfifo pipe
            cat pipe > copy.jsonl & "$cabinet" export pipe && wait && test -p pipe
            """)
        #expect(named.status == 0, "\(named.errors)")
        #expect(named.output.contains("Exported to pipe: 3 records in "))
        #expect(try String(contentsOfFile: cabinet.folder.path("copy.jsonl"), encoding: .utf8).contains("Penny"))
        let piped = try await script(#""$cabinet" export /dev/stdout | "$cabinet" import /dev/stdin --store other"#)
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(piped.output.contains("Imported from /dev/stdin: 3 records in "))
        #expect(piped.errors.contains("Exported to /dev/stdout: 3 records in "))
        let (first, second) = (
            try await script(#""$cabinet" stats"#).output, try await script(#""$cabinet" stats --store other"#).output
        )
        #expect(first == second)
    }

    @Test("An export that lacks lines, also all of them, is imported as far as it goes, and is an error")
    func cutExports() async throws {
        try await cabinet.saveCoins()
        let cuts = [
            ("sed '$d'", 3), ("head -n 1", 0), ("sed 2d", 2), ("sed 1d", 3), ("sed '$p'", 3),
            (#"sed 's/"end":[0-9]*/"end":-9223372036854775808/'"#, 3),
        ]
        for (number, (cut, count)) in cuts.enumerated() {
            let outcome = try await script(
                #""$cabinet" export /dev/stdout | \#(cut) | "$cabinet" import /dev/stdin --store cut-\#(number)"#)
            #expect(outcome.status == 1 && outcome.errors.contains("The file is not a whole export"), "\(outcome)")
            let found = try await script(#""$cabinet" count Coin --store cut-\#(number)"#)
            #expect(found.output == "\(count)\n", "\(cut): \(found)")
        }
        let twice = try await script(
            """
            { "$cabinet" export /dev/stdout; "$cabinet" export /dev/stdout; } | "$cabinet" import /dev/stdin --store twice
            """)
        #expect(twice.status == 0, "\(twice.errors)")
        let newer = try await script(#"printf '{"cabinet":3,"schema":""}\n' | "$cabinet" import /dev/stdin"#)
        #expect(newer.status == 2 && newer.errors.contains("stdin:1: A newer version"), "\(newer.errors)")
        let empty = try await script(#"true | "$cabinet" import /dev/stdin"#)
        #expect(empty.status == 2 && empty.errors.contains("is empty"), "\(empty.errors)")
    }

    @Test("Rows and an archive are imported from a pipe, and a mistake has its line")
    func pipedRows() async throws {
        let rows = try await script(
            """
            mkfifo coins.csv
            printf 'name,year\\nPenny,1967\\nCrown,1890\\n' > coins.csv & "$cabinet" import coins.csv Coin && "$cabinet" count Coin
            """)
        #expect(rows.output.hasSuffix("\n2\n"), "\(rows.output)\(rows.errors)")
        let wrong = try await script(#"printf '{"zone":"A"}\n{"recordName"\n' | "$cabinet" import /dev/stdin"#)
        #expect(wrong.status == 2 && wrong.errors.contains("stdin:2: This is not a JSON object"), "\(wrong.errors)")
    }

    @Test("A link stays, and the file that it leads to is replaced with its permissions")
    func links() async throws {
        try await cabinet.saveCoins()
        try files.createDirectory(atPath: cabinet.folder.path("files"), withIntermediateDirectories: true)
        let target = try cabinet.folder.write("old", to: "files/coins.jsonl")
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
        let links = [("link.jsonl", "files/coins.jsonl"), ("new.jsonl", "files/new.jsonl")]
        for (link, target) in links {
            try files.createSymbolicLink(atPath: cabinet.folder.path(link), withDestinationPath: target)
            try await cabinet.output("export", cabinet.folder.path(link))
            #expect(try files.destinationOfSymbolicLink(atPath: cabinet.folder.path(link)) == target)
            #expect(try String(contentsOfFile: cabinet.folder.path(target), encoding: .utf8).contains("Penny"))
        }
        let permissions = try files.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(permissions == 0o640)
        #expect(try files.contentsOfDirectory(atPath: cabinet.folder.path("files")).count == 2)
    }

    @Test("A folder is refused before any work, and a file that cannot be written is named")
    func refusals() async throws {
        try await cabinet.saveCoins()
        let folder = cabinet.folder.path("folder")
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(
            try await cabinet.failure(2, "export", folder) == "\(folder) is a folder. Name the file of the export.\n")
        #expect(try await cabinet.failure(2, "import", folder).contains("\(folder) is a folder. Name a file"))
        #expect(!files.fileExists(atPath: folder + ".partial"))
        let nowhere = cabinet.folder.path("nowhere/a.jsonl")
        #expect(
            try await cabinet.failure(1, "export", nowhere)
                == "The file \(nowhere).partial cannot be written: No such file or directory.\n")
        #if os(Linux)
        #expect(
            try await cabinet.failure(1, "export", "/dev/full")
                == "The file /dev/full cannot be written: No space left on device.\n")
        #endif
    }

    @Test("The files of assets do not go beside a device, and the rest of a failed export is removed")
    func assets() async throws {
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "penny", "--type", "Coin", "photo={\"file\":\"\(picture)\"}")
        let outcome = try await script(#""$cabinet" export /dev/stdout | cat > /dev/null"#)
        #expect(outcome.errors.contains("Export to a file, not to a pipe or a device."), "\(outcome.errors)")
        // A file in the way of the folder of assets.
        _ = try cabinet.folder.write("", to: "a.jsonl.assets")
        #expect(try await cabinet.failure(1, "export", cabinet.folder.path("a.jsonl")).contains("a.jsonl.assets"))
        #expect(!files.fileExists(atPath: cabinet.folder.path("a.jsonl.partial")))
    }
}

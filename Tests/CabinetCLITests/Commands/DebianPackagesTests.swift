import Foundation
import ProgramTestSupport
import Testing

@Suite("Debian's package index in the dashboard")
struct DebianPackagesTests {
    private static let converter = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/DebianPackages/convert.py").standardizedFileURL

    private static let index = """
        Package: sqlite3
        Version: 3.40.1-2
        Installed-Size: 401
        Maintainer: Laszlo Boszormenyi (GCS) <gcs@example.com>
        Depends: libc6 (>= 2.34), libsqlite3-0 (= 3.40.1-2) | other
        Description: Command line interface for SQLite 3
        Section: database
        Tag: interface::commandline, role::program,
         use::storing

        Package: libsqlite3-0
        Version: 3.40.1-2
        Maintainer: Laszlo Boszormenyi (GCS) <gcs@example.com>
        Depends: libc6 (>= 2.34)
        Description: SQLite 3 shared library
         It continues here.
        Section: libs

        Package: sqlite3
        Version: 3.0
        Description: A second version

        """

    @Test("The index is converted, imported and asked")
    func questions() async throws {
        let cabinet = try CabinetProgram()
        let converted = try await Program.installed("python3").run(
            [Self.converter.path], in: cabinet.folder, input: Self.index)
        #expect(converted.errors == "")
        let file = try cabinet.folder.write(converted.output, to: "packages.jsonl")
        try await cabinet.output("import", file)
        #expect(try await cabinet.rows("types").dropFirst() == [["Maintainer", "1", "1"], ["Package", "2", "9"]])
        func names(_ filter: String) async throws -> [String] {
            try await cabinet.rows("query", "Package", filter, "--sort", "name", "--fields", "name").dropFirst().map {
                $0[0]
            }
        }
        #expect(try await names("ANY depends.name == 'libsqlite3-0'") == ["sqlite3"])
        #expect(try await names("depends CONTAINS CAST('libc6', 'REFERENCE')") == ["libsqlite3-0", "sqlite3"])
        #expect(try await names("maintainer.name BEGINSWITH 'Laszlo' AND section == 'libs'") == ["libsqlite3-0"])
        #expect(try await names("self CONTAINS 'command'") == ["sqlite3"])
        #expect(try await names("installedSize > 400 OR tags CONTAINS 'role::shared-lib'") == ["sqlite3"])
    }
}

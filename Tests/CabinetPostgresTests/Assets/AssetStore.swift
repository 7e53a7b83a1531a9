import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// A separate store for a test of assets, and access to its tables.
struct AssetStore {
    let configuration = Stores.configuration()
    let backend: PostgresBackend
    let container: Container

    var database: Database { container.publicDatabase }

    init() async throws {
        backend = try await Stores.backend(configuration)
        container = try Container(identifier: "com.example.assets", backend: backend)
    }

    /// Bytes whose blocks all differ: each begins with its number.
    static func bytes(_ size: Int) -> Data {
        let block = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        var (data, number) = (Data(capacity: size + 4_104), 0)
        while data.count < size {
            withUnsafeBytes(of: number) { data.append(contentsOf: $0) }
            data += block
            number += 1
        }
        return data.prefix(size)
    }

    func note(_ name: String, _ image: Asset) -> Record {
        var note = Record(recordType: "Notes", recordID: RecordID(recordName: name))
        note["image"] = image
        return note
    }

    /// The bytes of a note's image, as a container without fetched files fetches them.
    func image(of name: String) async throws -> Data? {
        let fresh = try Container(identifier: "com.example.assets", backend: await Stores.backend(configuration))
        let image: Asset? = try await fresh.publicDatabase.record(for: RecordID(recordName: name))["image"]
        do {
            let data = try await image?.data()
            await fresh.close()
            return data
        } catch {
            await fresh.close()
            throw error
        }
    }

    /// Runs a statement as an administrator would; `TABLE` stands for the unique part of a table's name.
    @discardableResult
    func sql(_ statement: String) async throws -> [[String?]] {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let statement = statement.replacing("TABLE", with: "\"\(configuration.schema)\".cabinet")
        return try connection.query(statement).rows.map { row in [row.text(0)] }
    }

    /// The number of rows with bytes, assets and uploads.
    func counts() async throws -> [String] {
        var counts: [String] = []
        for table in ["asset_part", "asset", "upload"] {
            counts.append(try await sql("SELECT count(*)::text FROM TABLE_\(table)")[0][0] ?? "")
        }
        return counts
    }

    func close() async { await container.close() }
}

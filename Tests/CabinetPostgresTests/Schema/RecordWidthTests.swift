import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Records with very many fields, whose rows must fit on a page.
@Suite struct RecordWidthTests {
    private func record(_ count: Int, of value: any RecordValue) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: UUID().uuidString))
        for number in 0..<count { record["field\(number)"] = value }
        return record
    }

    @Test("A record of 950 numbers is stored; 1,000 are an error that says what to do")
    func width() async throws {
        let backend = try await Stores.backend()
        let database = try Container(identifier: "com.example.width", backend: backend).privateDatabase
        let wide = try await database.save(record(950, of: 1))
        #expect(try await database.record(for: wide.recordID)["field949"] as? Int == 1)
        let error = await #expect(throws: CabinetError.self) { try await database.save(record(1000, of: 1)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("8 kilobytes") == true, "\(error as Any)")
        await backend.close()
    }
}

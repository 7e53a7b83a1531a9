import Cabinet
import PostgresTestSupport
import StorageTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// Reads with a stalled connection during writes of the same process.
@Suite struct StalledReadTests {
    @Test(
        "A write does not wait for the connection of a read, which begins again if its snapshot is too late",
        .timeLimit(.minutes(15)))
    func stalled() async throws {
        let proxy = try CuttingProxy(before: try await PostgresServer.shared.value)
        defer { proxy.close() }
        let configuration = Stores.configuration()
        let reader = try PostgresBackend(connection: proxy.connection, configuration: configuration)
        let writer = try await Stores.backend(configuration)
        let ids = [RecordID(recordName: "a")]
        try await writer.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(0))])])
        }
        _ = try await reader.read(.public) { try await $0.records(for: ids, keys: nil) }

        proxy.hold(true)
        let begun = HeldGate()
        let runs = Atomic<Int>(0)
        async let reading = reader.read(.public) { snapshot in
            let run = runs.wrappingAdd(1, ordering: .relaxed).newValue
            await begun.wait()
            return (run, try await snapshot.records(for: ids, keys: nil)[0]?.fields["x"])
        }
        await begun.whenReached()
        for number in 1...3 {
            try await writer.write(.public) { transaction in
                var record = StoredRecord("a", [("x", .int64(Int64(number)))])
                record.sequenceNumber = try await transaction.reserveNumber()
                try await transaction.update([record])
            }
        }
        begun.open()
        proxy.hold(false)
        let (run, value) = try await reading
        // The server took the snapshot after the writes.
        #expect(run == 2)
        #expect(value == .int64(3))
        await reader.close()
        await writer.close()
    }
}

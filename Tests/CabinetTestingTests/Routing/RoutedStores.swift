import Cabinet
import Foundation
import Testing

@testable import CabinetTesting

/// Two stores and a directory, which can be told to fail, and the processes that use them.
struct RoutedStores: Sendable {
    let berlin = FaultInjectingBackend()
    let paris = FaultInjectingBackend()
    let directory = FaultInjectingBackend()

    static let anna = DatabaseKey.private(owner: "_anna")

    var stores: [FaultInjectingBackend] { [berlin, paris, directory] }

    /// What one more process has; new databases are put into Berlin.
    func process(patience: Duration = .seconds(30)) throws -> RoutingBackend {
        try RoutingBackend(
            stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: directory),
            placement: DatabasePlacement { _, _ in "berlin" }, patience: patience)
    }

    func forgetFaults() {
        for store in stores { store.removeAllInjections() }
    }

    /// Makes sure that a store has nothing of a database but marks.
    static func expectNothing(
        in store: any StorageBackend, of database: DatabaseKey = anna, _ comment: Comment? = nil
    ) async throws {
        let found = try await store.read(database) { snapshot in
            var records = 0
            for recordType in try await snapshot.schema().recordTypes.keys {
                records += try await snapshot.count(
                    matching: QueryPlan(recordType: recordType, filter: .constant(true), fields: FieldTypes()))
            }
            let zones = try await snapshot.zones(for: nil).filter { $0.zoneID != .default }
            let subscriptions = try await snapshot.subscriptions(of: nil)
            let assets = try await snapshot.assets(after: nil, limit: 10)
            return [records, zones.count, subscriptions.count, assets.count]
        }
        #expect(found == [0, 0, 0, 0], comment)
    }
}

extension RoutingBackend {
    /// The private database of Anna.
    var annas: Database {
        get throws { try CopySamples.container(self).privateDatabase }
    }
}

extension Database {
    /// The number of records of the type that the tests save.
    func itemCount() async throws -> Int {
        try await count(matching: Query(recordType: "Items", filter: .constant(true)))
    }
}

extension Database {
    /// Saves a record, whatever is there.
    func overwrite(_ record: Record) async throws {
        let results = try await modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys).saveResults
        _ = try results[record.recordID]?.get()
    }
}

import Cabinet
import Foundation
import Testing

@testable import CabinetTesting

@Suite("The article about many servers: its programs run")
struct RoutingSnippets {
    @Test func programs() async throws {
        let (berlin, paris) = (MemoryBackend(), MemoryBackend())
        let user = "_anna"

        // snippet: stores
        let backend = try RoutingBackend(
            stores: ["berlin": berlin, "paris": paris],
            directory: StoredDirectory(in: berlin))
        let container = try Container(identifier: "com.example.notes", backend: backend)
        // end

        _ = container
        try await CopySamples.container(backend).privateDatabase.save(Record("Items", "a"))
        let name = try await backend.home(of: .private(owner: user))?.name == "berlin" ? "paris" : "berlin"

        // snippet: move
        let report = try await backend.move(.private(owner: user), to: name)
        print("\(report.copied); writes waited for \(report.pause)")
        // end

        #expect(try await backend.home(of: .private(owner: user))?.name == name)

        // snippet: placement
        let placement = DatabasePlacement { database, names in
            database == .public ? "berlin" : DatabasePlacement.byKey.name(for: database, among: names)
        }
        // end

        let placed = try RoutingBackend(
            stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: berlin), placement: placement)
        try await CopySamples.container(placed).publicDatabase.save(Record("Items", "b"))
        #expect(try await placed.home(of: .public)?.name == "berlin")
    }

    private func print(_ line: String) {
        #expect(line.hasPrefix("1 records saved"))
    }
}

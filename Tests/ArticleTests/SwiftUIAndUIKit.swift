// snippet: model
import Cabinet
import Foundation
import Observation

@MainActor @Observable
final class ItemsModel {
    private(set) var items: [Record] = []
    private(set) var message: String?

    private let database: Database
    private let query: Query

    init(database: Database, list: RecordID) {
        self.database = database
        query = Query(
            recordType: "Items", filter: .field("list") == list,
            sortedBy: ["name"])
    }

    /// Shows the items, and every later change, until the task ends.
    func follow() async {
        do {
            for try await items in database.observe(query) {
                self.items = items
                message = nil
            }
        } catch {
            message = error.localizedDescription
        }
    }
}
// end

// The tests need this module too; the article does not show it.
import Testing

// snippet: edit
extension ItemsModel {
    func setDone(_ isDone: Bool, for id: RecordID) async {
        await report {
            try await database.update(id) { $0["isDone"] = isDone }
        }
    }

    func delete(_ id: RecordID) async {
        await report { try await database.deleteRecord(withID: id) }
    }

    private func report<Value>(_ edit: () async throws -> Value) async {
        do {
            _ = try await edit()
            message = nil
        } catch {
            message = error.localizedDescription
        }
    }
}
// end

#if canImport(SwiftUI)
// snippet: view
import SwiftUI

struct ItemsView: View {
    @State private var model: ItemsModel

    init(database: Database, list: RecordID) {
        _model = State(
            initialValue: ItemsModel(database: database, list: list))
    }

    var body: some View {
        List(model.items, id: \.recordID) { item in
            Toggle(
                item["name"] as? String ?? "Item",
                isOn: Binding {
                    item["isDone"] as? Bool ?? false
                } set: { isDone in
                    Task { await model.setDone(isDone, for: item.recordID) }
                }
            )
            .swipeActions {
                Button("Delete", role: .destructive) {
                    Task { await model.delete(item.recordID) }
                }
            }
        }
        .overlay { Text(model.message ?? "") }
        .task { await model.follow() }
    }
}
// end
#endif

#if canImport(UIKit)
// snippet: controller
import UIKit

final class ItemsController: UITableViewController {
    private let database: Database
    private let query: Query
    private var items: [RecordID: Record] = [:]
    private var task: Task<Void, any Error>?

    private lazy var source = UITableViewDiffableDataSource<Int, RecordID>(
        tableView: tableView
    ) { [weak self] tableView, indexPath, id in
        let cell = UITableViewCell()
        var content = cell.defaultContentConfiguration()
        content.text = self?.items[id]?["name"] as? String
        cell.contentConfiguration = content
        return cell
    }

    init(database: Database, query: Query) {
        self.database = database
        self.query = query
        super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        task = Task { [weak self, database, query] in
            for try await change in database.observe(query).differences {
                await self?.show(change)
            }
        }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        task?.cancel()
    }

    private func show(_ change: RecordDifference) async {
        for record in change.records { items[record.recordID] = record }
        var snapshot = NSDiffableDataSourceSnapshot<Int, RecordID>()
        snapshot.appendSections([0])
        snapshot.appendItems(change.records.map(\.recordID))
        snapshot.reconfigureItems(change.updated.map(\.recordID))
        await source.apply(snapshot)
        for id in change.deleted { items[id] = nil }
    }
}
// end
#endif

@Suite("The article about SwiftUI and UIKit: its model shows what changes", .timeLimit(.minutes(15)))
@MainActor struct SwiftUIAndUIKit {
    @Test func model() async throws {
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase
        let list = try await database.save(Record(recordType: "Lists"))
        var milk = Record(recordType: "Items")
        milk["name"] = "Milk"
        milk["list"] = Reference(record: list, action: .deleteSelf)
        try await database.save(milk)

        // snippet: test
        let model = ItemsModel(database: database, list: list.recordID)
        let task = Task { await model.follow() }
        while model.items.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }

        await model.setDone(true, for: milk.recordID)
        while model.items.first?["isDone"] as? Bool != true {
            try await Task.sleep(for: .milliseconds(10))
        }
        task.cancel()
        // end
        await model.delete(milk.recordID)
        await model.setDone(true, for: milk.recordID)
        #expect(model.message != nil)
        await container.close()
    }
}

import Cabinet
import CabinetTools
import Foundation

@testable import CabinetCLI
@testable import TerminalProgram

/// A browser without a terminal: keys go in, pages come out, and its requests are carried out on a store in memory.
struct BrowseDriver {
    let container: Container
    let store: BrowseStore
    private(set) var model = BrowseModel(store: "memory")
    /// All requests so far.
    private(set) var requests: [BrowseRequest] = []
    var size = TerminalSize(rows: 24, columns: 80)

    init() async throws {
        container = try Container(identifier: "test", backend: MemoryBackend())
        store = BrowseStore(
            container: container, database: container.privateDatabase,
            invocation: Invocation(program: .cabinet, command: .browse, arguments: Arguments(), console: Console()))
    }

    var database: Database { container.privateDatabase }

    mutating func open() async { await perform(model.open(TypesScreen())) }

    mutating func press(_ keys: Key...) async {
        for key in keys {
            await perform(model.handle(key))
            // The screen is drawn after each key, which also sets the number of visible rows.
            _ = model.page(in: size)
        }
    }

    /// Types into a question, and accepts it.
    mutating func answer(_ text: String) async {
        await press(.control("u"), .paste(text), .enter)
    }

    mutating func refresh() async { await perform(model.refresh()) }

    private mutating func perform(_ effects: [BrowseModel.Effect]) async {
        for effect in effects {
            requests.append(effect.request)
            // A list of changes never ends, and is tested in a terminal; here, no request is in progress.
            if case .changes = effect.request { continue }
            if effect.request == .cancelEarlier { continue }
            let box = ResultBox()
            await store.perform(effect.request) { await box.set($0) }
            if let result = await box.result { await perform(model.take(result, of: effect.screen)) }
        }
    }

    /// The lines of the screen.
    var screen: String {
        mutating get {
            model.page(in: size).lines(in: size).map { $0.encoded(allowing: []) }.joined(separator: "\n")
        }
    }

    private actor ResultBox {
        private(set) var result: BrowseResult?
        func set(_ new: BrowseResult) { result = new }
    }
}

import Cabinet
import CabinetTools
import TerminalProgram

/// The difference between this store's schema and another one's, and its deployment.
struct DeployScreen: BrowseScreen {
    private let store: String
    private var difference: SchemaDifference?
    private var isDeployed = false

    init(store: String) {
        self.store = store
    }

    var title: String { "Deploy to \(store.printable)" }
    var status: String { difference.map { $0.changes.count.counted("change") } ?? "" }

    var keys: [(key: String, action: String)] {
        let canDeploy = difference.map { !$0.isEmpty && $0.losses.isEmpty } ?? false
        return (canDeploy && !isDeployed ? [("y", "deploy")] : []) + [("Esc", "back")]
    }

    mutating func load() -> [BrowseStep] { isDeployed ? [] : [.request(.compare(store: store))] }

    mutating func handle(_ key: Key) -> [BrowseStep] {
        switch key {
        case .character("y") where keys.count == 2:
            return [.ask(.confirm("Deploy these changes to \(store.printable)?", for: .deployment))]
        case _ where key.leaves: return [.close]
        default: return []
        }
    }

    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) -> [BrowseStep] {
        [.request(.deploy(store: store))]
    }

    mutating func take(_ result: BrowseResult) -> [BrowseStep] {
        switch result {
        case .difference(let new): difference = new
        case .deployed:
            isDeployed = true
            return [.show("The schema is deployed.")]
        case .failed(.compare, let reason): return [.close, .show(reason)]
        case .failed(_, let reason): return [.show(reason)]
        default: break
        }
        return []
    }

    mutating func body(rows: Int, columns: Int) -> [StyledText] {
        guard let difference else { return ["  Comparing…"] }
        if difference.isEmpty { return ["  The schemas are equal."] }
        let lines = difference.changes.prefix(max(0, rows - 2)).map {
            StyledText("  \($0)".printable.truncated(toColumns: columns), $0.isLoss ? .red : .green)
        }
        let hidden = difference.changes.count - lines.count
        let rest: [StyledText] = hidden > 0 ? ["  and \(hidden) more"] : []
        return lines + rest
            + (difference.losses.isEmpty ? [] : ["", "  Data would be lost, so this schema cannot be deployed."])
    }
}

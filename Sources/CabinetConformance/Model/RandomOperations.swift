import Cabinet
import CabinetTesting

/// Generates operations; the same seed generates the same ones.
struct RandomOperations {
    private var random: SeededGenerator

    static let types = ["Items", "Lists"]
    static let names = ["a", "b", "c", "d", "e", "f", "g"]
    static let zones = [RecordZone.ID.modelDefault, "Home", "Work"]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func operations(_ count: Int) -> [ModelOperation] {
        (0..<count).map { _ in operation() }
    }

    private mutating func operation() -> ModelOperation {
        let client = Int.random(in: 0..<ModelRun.clients.count, using: &random)
        let isPublic = chance(30)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<42: return batch(client, isPublic)
        case 42..<52: return .resolve(client: client, isPublic: isPublic, edit(), pick(ModelResolver.allCases))
        case 52..<60:
            return .fetch(
                client: client, isPublic: isPublic, key(), keys: chance(30) ? pick([["n"], ["n", "own"], []]) : nil)
        case 60..<65: return .saveZone(client: client, isPublic: isPublic, pick(Self.zones))
        case 65..<67: return .deleteZone(client: client, isPublic: isPublic, pick(["Home", "Work"]))
        case 67..<85: return .sync(device: device(), pages: pick([1, 1, 2, 3, 100]))
        case 85..<88: return .backUp(device: device())
        case 88..<91: return .restore(device: device())
        case 91..<97: return .update(copy: Int.random(in: 0..<ModelRun.copies.count, using: &random))
        default: return .wait(seconds: pick([1, 10, 60]))
        }
    }

    private mutating func batch(_ client: Int, _ isPublic: Bool) -> ModelOperation {
        var edits: [ModelEdit] = []
        var deletions: [ModelKey] = []
        var seen: Set<ModelKey> = []
        for _ in 0..<pick([1, 1, 2, 3, 5]) {
            if chance(70) {
                let edit = edit()
                if seen.insert(edit.key).inserted { edits.append(edit) }
            } else {
                let key = key()
                if seen.insert(key).inserted { deletions.append(key) }
            }
        }
        return .batch(
            client: client, isPublic: isPublic, edits, deleting: deletions,
            pick([.ifServerRecordUnchanged, .ifServerRecordUnchanged, .changedKeys, .allKeys]), isAtomic: chance(50))
    }

    private mutating func edit() -> ModelEdit {
        var changes: [String: ModelValue?] = [:]
        for _ in 0..<pick([0, 1, 1, 2, 3]) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: changes["n"] = .number(Int.random(in: 0..<6, using: &random))
            case 2: changes["t"] = .text(pick(["x", "y", ""]))
            case 3: changes["own"] = .link(ModelLink(pick(Self.names), .deleteSelf))
            case 4: changes["free"] = .link(ModelLink(pick(Self.names), pick([.none, .nullify])))
            case 5: changes["keep"] = .link(ModelLink(pick(Self.names), .deny))
            case 6:
                let actions: [Reference.Action] = [.none, .nullify, .nullify, .deleteSelf, .deny]
                changes["list"] = .links(
                    (0..<pick([0, 1, 2, 3])).map { _ in ModelLink(pick(Self.names), pick(actions)) })
            default: changes[pick(["n", "t", "own", "free", "keep", "list"])] = .some(nil)
            }
        }
        return ModelEdit(
            key: key(), type: pick(["Items", "Items", "Items", "Lists"]), age: pick([nil, 0, 0, 0, 1, 2]),
            changes: changes, parent: chance(12) ? .some(chance(60) ? pick(Self.names) : nil) : nil)
    }

    private mutating func key() -> ModelKey { ModelKey(zone: pick(Self.zones), name: pick(Self.names)) }

    private mutating func device() -> Int { Int.random(in: 0..<ModelRun.devices.count, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        // The arrays above are not empty.
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}

import Testing

@Suite("Layers: the core's folders use those before them")
struct LayerTests {
    @Test("Arrows inside the core point one way")
    func package() {
        let check = LayerCheck(PackageFiles.sources)
        expectNone(check.homeless)
        expectNone(check.arrows.map(\.violation))
    }

    @Test("The compiler checks all folders but the last, in the same order")
    func compiled() throws {
        let script = try PackageFiles.text(at: "Scripts/check-layers.sh")
        let layers = try #require(script.firstMatch(of: #/(?m)^layers="(.*)"$/#)).1.split(separator: " ")
        let folders = layers.map { Set($0.split(separator: ",").map(String.init)) }
        #expect(folders == LayerCheck.order.dropLast())
    }

    /// The arrows of a file among others.
    private func arrows(_ files: KeyValuePairs<String, String>) -> [String] {
        LayerCheck(files.map { SourceText(path: "Sources/Cabinet/\($0)", text: $1) }).arrows
            .map { "\($0.file):\($0.line) \($0.type) in \($0.folder)" }
    }

    @Test(
        "A type of a higher folder is found",
        arguments: [
            "let engine = Engine()",
            "func run(_ engine: borrowing Engine?) -> [Engine]",
            "extension Engine {}",
            "let texts = \"a \\(Engine.name) b\"",
            "let engine = Cabinet.Engine()",
            "    let engines: [any Sequence<Engine>] = []",
            "typealias Own = Engine",
        ])
    func detects(line: String) {
        let found = arrows(["Engine/Engine.swift": "struct Engine {}", "Filters/A.swift": "\n\(line)"])
        #expect(found == ["Filters/A.swift:2 Engine in Engine"])
    }

    @Test("A nested type is found by both names")
    func detectsNested() {
        let found = arrows([
            "Records/Query.swift": "struct Query {}",
            "Engine/Query+Cursor.swift": "extension Query {\n    public struct Cursor {}\n}",
            "Filters/A.swift": "let cursor: Query.Cursor\nlet other: Cursor",
        ])
        #expect(found == ["Filters/A.swift:1 Query.Cursor in Engine"])
    }

    @Test("Folders of one rank do not use each other")
    func detectsNeighbors() {
        let found = arrows([
            "Memory/Memory.swift": "enum Memory { static let rule = Rule() }", "Rules/Rule.swift": "struct Rule {}",
        ])
        #expect(found == ["Memory/Memory.swift:1 Rule in Rules"])
    }

    @Test(
        "A name that only resembles a higher folder's type is ignored",
        arguments: [
            "// An Engine runs it.",
            "let text = \"Engine\"",
            "let engine = options.Engine",
            "let kind = Kind.Engine",
            "let engineRoom = EngineRoom()",
            "private struct Engine {}\nlet engine = Engine()",
            "struct Ship {\n    struct Engine {}\n    let engine: Engine\n}",
            "func start<Engine: Sendable>(_ engine: Engine) {}",
            "protocol Ship {\n    associatedtype Engine\n    var engine: Engine { get }\n}",
            "extension Car {\n    var engine: Engine? { nil }\n}",
        ])
    func accepts(text: String) {
        let found = arrows([
            "Records/Car.swift": "struct Car {\n    struct Engine {}\n}",
            "Engine/Engine.swift": "struct Engine {}",
            "Filters/A.swift": text,
        ])
        #expect(found == [])
    }

    @Test("A type that a lower folder has too, and one that is private elsewhere, may be named")
    func acceptsDoubles() {
        let found = arrows([
            "Records/Key.swift": "struct Key {}", "Engine/Key.swift": "struct Key {}",
            "Engine/Slot.swift": "private struct Slot {}", "Filters/A.swift": "let key: Key\nlet slot: Slot",
        ])
        #expect(found == [])
    }

    @Test("A folder without a rank is found")
    func detectsFolders() {
        let files = ["Extras/A.swift", "B.swift"].map { SourceText(path: "Sources/Cabinet/\($0)", text: "") }
        #expect(LayerCheck(files).homeless.map(\.path) == files.map(\.path))
    }
}

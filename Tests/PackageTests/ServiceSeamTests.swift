import Testing

@Suite("The upper seam: narrow, of values that are coded, and not passed by")
struct ServiceSeamTests {
    private static let folder = "Sources/Cabinet/Service"

    private static func requirements() throws -> [Requirement] {
        try Requirement.all(in: folder).filter { $0.owner == "DatabaseService" }
    }

    @Test("The author of a service writes at most 6 requirements, fewer than a backend's author; each states its law")
    func requirements() throws {
        let requirements = try Self.requirements()
        #expect((5...6).contains(requirements.count), "\(requirements.map(\.name))")
        let stored = try Requirement.all(in: "Sources/Cabinet/Storage").filter { $0.owner.hasPrefix("Storage") }
        #expect(requirements.count < stored.count)
        for requirement in requirements {
            #expect(requirement.comment.contains("/// Law:"), "\(requirement.name)")
        }
    }

    @Test("No requirement has a default, which a wrapper could forget to pass on")
    func defaults() throws {
        let names = Set(try Self.requirements().map(\.name))
        #expect(names.isSuperset(of: ["perform(_:for:)", "close()"]))
        let additions = try Requirement.additions(to: ["DatabaseService"])
        #expect(additions.map(\.name).filter(names.contains) == [])
    }

    @Test("Each type in the file of a request is a request or a response with a coding, without a closure")
    func values() {
        let files = PackageFiles.sources.filter {
            $0.path.hasPrefix(Self.folder) && $0.path.hasSuffix("Request.swift")
                && !$0.path.hasSuffix("/ServiceRequest.swift")
        }
        #expect(files.count >= 20)
        for file in files { expectNone(ServiceSeamCheck.violations(inRequest: file)) }
    }

    @Test("Each response that is another type has a coding")
    func otherResponses() throws {
        let files = PackageFiles.sources.filter { $0.path.hasPrefix(Self.folder) }
        let code = files.flatMap(\.code)
        let names = code.compactMap { $0.firstMatch(of: #/\btypealias Response = (\w+)/#).map { String($0.1) } }
        #expect(Set(names).isSuperset(of: ["EmptyResponse", "Schema"]))
        for name in Set(names) {
            #expect(
                code.contains {
                    $0.contains("extension \(name): ServiceValue {") || $0.contains("struct \(name): ServiceValue,")
                }, "\(name)")
        }
    }

    @Test("Only verification, copies, imports and the dashboard use the backend of a container")
    func backends() {
        let files = PackageFiles.sources.filter { !$0.path.hasPrefix("Sources/Cabinet/Engine/") }
        var found: Set<String> = []
        for file in files + PackageFiles.examples {
            let uses = ServiceSeamCheck.uses(in: file)
            if ServiceSeamCheck.bookkeeping[file.path] == nil { expectNone(uses) }
            if !uses.isEmpty { found.insert(file.path) }
        }
        #expect(found == Set(ServiceSeamCheck.bookkeeping.keys))
    }

    @Test(
        "A type without a coding, and a closure, are found",
        arguments: [
            "public struct ARequest {", "    struct Response: Sendable {", "enum State: String {", "final class Box {",
            "    public var progress: (Int) -> Void", "    let next: @Sendable () async -> Int?",
        ])
    func detectsValues(line: String) {
        #expect(ServiceSeamCheck.violations(inRequest: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test(
        "A use of a container's backend is found",
        arguments: [
            "let a = try await container.backend.read(key) { _ in }", "backend = try source.backend",
            "x(container.backend)",
            "extension Container { func a() throws { use(try backend) } }",
            "extension Container { func a() throws { try backend.a() } }",
        ])
    func detectsUses(line: String) {
        #expect(ServiceSeamCheck.uses(in: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test("A coded value, and a backend that is not a container's, pass")
    func accepts() {
        let request = SourceText(
            path: "A.swift",
            text: """
                public struct ARequest: ServiceRequest {
                    public struct Response: ServiceValue {
                        var count: Int { names.count }
                    }
                    public func response(from handler: some RequestHandler) async throws -> Response {
                """)
        #expect(ServiceSeamCheck.violations(inRequest: request) == [])
        let uses = SourceText(
            path: "A.swift", text: "self.backend = backend\ntry await backend.read(key)\nworld.backend.close()")
        #expect(ServiceSeamCheck.uses(in: uses) == [])
    }
}

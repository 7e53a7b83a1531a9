import Testing

@Suite("Plans: only the core creates them, and a plan that exists is valid")
struct PlanTests {
    @Test("No backend creates or validates a plan", arguments: PlanCheck.backends)
    func backends(folder: String) {
        let files = (PackageFiles.sources + PackageFiles.examples).filter { $0.path.hasPrefix(folder) }
        #expect(!files.isEmpty)
        for file in files { expectNone(PlanCheck.violations(inBackend: file)) }
    }

    @Test("Plans have no public initializer, setter or validation")
    func plans() {
        let files = PackageFiles.sources.filter { file in
            file.path.hasPrefix("Sources/Cabinet/")
                && file.code.contains {
                    $0.hasBytes(of: "QueryPlan") && $0.contains(#/\b(?:struct|extension) QueryPlan\b/#)
                }
        }
        #expect(files.contains { $0.path == "Sources/Cabinet/Queries/QueryPlan.swift" })
        for file in files { expectNone(PlanCheck.violations(inPlan: file)) }
    }

    @Test(
        "Code that a backend must not contain is found",
        arguments: [
            "let plan = try QueryPlan(recordType: type)", "try QueryPlan.init(", "try plan.validate()",
            "plan = try plan.continued(after: last)", "try plan.validateGrouping(by: key)",
            "let filter = CompiledFilter(validated: filter, fields: [:])",
        ])
    func detects(line: String) {
        #expect(PlanCheck.violations(inBackend: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test(
        "A plan that others can create or change is found",
        arguments: [
            "    public init(filter: Filter) {", "    public var limit: Int", "    public mutating func drop() {",
            "    public func validate() throws {", "    public func validateOrder() throws {",
            "    public static func all() -> QueryPlan {",
        ])
    func detectsDoors(line: String) {
        #expect(PlanCheck.violations(inPlan: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test("Reading a plan passes")
    func accepts() {
        let reading = SourceText(path: "A.swift", text: "func page(of plan: QueryPlan) { plan.page(of: records) }")
        #expect(PlanCheck.violations(inBackend: reading) == [])
        let plan = SourceText(
            path: "A.swift",
            text: """
                public let limit: Int
                public private(set) var order: [Sort]
                public var isFirst: Bool { position == nil }
                package init(limit: Int) throws {
                """)
        #expect(PlanCheck.violations(inPlan: plan) == [])
    }
}

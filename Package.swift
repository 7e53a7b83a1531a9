// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    // Every existential is spelled `any`, so that its cost shows at the point of use.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // A module re-exports only what it names.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is visible only where its module is imported.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
]

// CloudKit's names over Cabinet need the type of locations, which a module of this package declares where the system has none.
#if canImport(CloudKit)
let locationModules: [Target.Dependency] = []
let cloudKitModules: [Target.Dependency] = []
let cloudKitExamples: [Target.Dependency] = []
#else
let locationModules: [Target.Dependency] = ["CoreLocation"]
let cloudKitModules: [Target.Dependency] = ["CloudKit", "CoreLocation"]
let cloudKitExamples: [Target.Dependency] = ["CloudKitLists"]
#endif

// Signatures and ciphers are CryptoKit's where the system has it.
#if canImport(CryptoKit)
let signatureModules: [Target.Dependency] = []
#else
let signatureModules: [Target.Dependency] = ["COpenSSL"]
#endif

// Foundation's connections outside of Apple's systems end the process if a server ends one at the wrong time.
#if canImport(FoundationNetworking)
let networkModules: [Target.Dependency] = ["CCurl"]
#else
let networkModules: [Target.Dependency] = []
#endif

let package = Package(
    name: "Cabinet",
    // Task executors, with which a backend's transaction runs on the backend's own thread, begin here.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Cabinet", targets: ["Cabinet"]),
        .library(name: "CabinetSQLite", targets: ["CabinetSQLite"]),
        .library(name: "CabinetPostgres", targets: ["CabinetPostgres"]),
        .library(name: "CabinetWire", targets: ["CabinetWire"]),
        .library(name: "CabinetServer", targets: ["CabinetServer"]),
        .library(name: "CabinetListener", targets: ["CabinetListener"]),
        .library(name: "CabinetRemote", targets: ["CabinetRemote"]),
        .library(name: "CabinetICloud", targets: ["CabinetICloud"]),
        .library(name: "CabinetMirror", targets: ["CabinetMirror"]),
        .library(name: "CabinetEncryption", targets: ["CabinetEncryption"]),
        .library(name: "CabinetTools", targets: ["CabinetTools"]),
        .library(name: "CabinetDashboard", targets: ["CabinetDashboard"]),
        .executable(name: "cabinet", targets: ["CabinetCLI"]),
        .library(name: "CabinetTesting", targets: ["CabinetTesting"]),
        .library(name: "CabinetConformance", targets: ["CabinetConformance"]),
        .library(name: "CabinetCloudKit", targets: ["CabinetCloudKit"]),
        .executable(name: "shopping-list", targets: ["ShoppingList"]),
        .executable(name: "notes", targets: ["Notes"]),
    ],
    targets: [
        // Checksums of large files, by the processor's own instructions for them; Apple's platforms have CryptoKit.
        .target(name: "CSHA256"),
        .target(name: "Cabinet", dependencies: ["CSHA256"]),

        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // Shared by the SQL backends: the translation of filters, with a dialect for each. No product.
        .target(name: "SQLSupport", dependencies: ["Cabinet"]),
        .target(name: "CabinetSQLite", dependencies: ["Cabinet", "CSQLite", "SQLSupport"]),

        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CabinetPostgres", dependencies: ["Cabinet", "CPostgreSQL", "SQLSupport"]),

        // Cabinet's own and CloudKit Web Services' dialect, as values.
        .target(name: "CabinetWire", dependencies: ["Cabinet"]),

        // A server without sockets, and what listens for it.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CabinetServer", dependencies: ["Cabinet", "CabinetWire"] + signatureModules),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .target(name: "CabinetListener", dependencies: ["Cabinet", "CabinetServer", "CMicroHTTPD"]),

        // A container whose records are on a server.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(name: "CabinetRemote", dependencies: ["Cabinet", "CabinetWire"] + signatureModules + networkModules),

        // A container whose records are in iCloud, by the names of CloudKit: Apple's, or this package's where the system has none.
        .target(name: "CabinetICloud", dependencies: ["Cabinet"] + cloudKitModules),

        // A container that works without a network, and mirrors another one.
        .target(name: "CabinetMirror", dependencies: ["Cabinet"]),

        // The keys and the cipher of encrypted values.
        .target(name: "CabinetEncryption", dependencies: ["Cabinet"] + signatureModules),

        // Verification, copying, browsing and transfer, for operators.
        .target(name: "CabinetTools", dependencies: ["Cabinet", "CabinetWire"]),

        // The dashboard in a browser, and markup for pages of programs.
        .target(name: "CabinetDashboard", dependencies: ["Cabinet", "CabinetServer", "CabinetTools", "CabinetWire"]),

        // Shared by the programs: their commands and help, the console, screens. It knows nothing of Cabinet.
        .target(name: "TerminalProgram"),
        // The dashboard, in a terminal.
        .executableTarget(
            name: "CabinetCLI",
            dependencies: [
                "Cabinet", "CabinetDashboard", "CabinetListener", "CabinetMirror", "CabinetPostgres", "CabinetRemote",
                "CabinetServer", "CabinetSQLite", "CabinetTools", "CabinetWire", "TerminalProgram",
            ]),

        .target(name: "CabinetTesting", dependencies: ["Cabinet"]),
        .target(name: "CabinetConformance", dependencies: ["Cabinet", "CabinetTesting", "CabinetTools"]),

        // CloudKit's own names and classes over Cabinet, for tests without a network.
        .target(
            name: "CabinetCloudKit",
            dependencies: ["Cabinet", "CabinetEncryption", "CabinetRemote", "CabinetSQLite"] + locationModules),

        .executableTarget(
            name: "GettingStarted", dependencies: ["Cabinet", "CabinetSQLite"], path: "Examples/GettingStarted"),
        .executableTarget(
            name: "TypedFields", dependencies: ["Cabinet", "CabinetSQLite"], path: "Examples/TypedFields"),
        // The code of the article "Getting started", which has no settings of its own.
        .target(name: "Groceries", dependencies: ["Cabinet"], path: "Examples/Groceries", swiftSettings: []),
        .executableTarget(
            name: "Shop", dependencies: ["CabinetSQLite", "Groceries"], path: "Examples/Shop", swiftSettings: []),
        // Shared by the shopping list and the notes: stores, mirrors and pages.
        .target(
            name: "ExampleSupport",
            dependencies: [
                "Cabinet", "CabinetListener", "CabinetMirror", "CabinetPostgres", "CabinetRemote", "CabinetServer",
                "CabinetSQLite", "TerminalProgram",
            ],
            path: "Examples/Support"),
        .executableTarget(
            name: "ShoppingList",
            dependencies: [
                "Cabinet", "CabinetListener", "CabinetMirror", "CabinetServer", "ExampleSupport", "TerminalProgram",
            ],
            path: "Examples/ShoppingList"),
        // The code of the article "Writing a backend".
        .target(name: "DictionaryBackend", dependencies: ["Cabinet"], path: "Examples/DictionaryBackend"),
        .target(name: "JSONLinesBackend", dependencies: ["Cabinet"], path: "Examples/JSONLinesBackend"),
        // Companies, contacts, deals and activities: a library with the tests of a program, and no screens.
        .target(name: "CRM", dependencies: ["Cabinet"], path: "Examples/CRM"),
        .executableTarget(
            name: "Notes",
            dependencies: [
                "Cabinet", "CabinetListener", "CabinetMirror", "CabinetServer", "ExampleSupport", "TerminalProgram",
            ],
            path: "Examples/Notes",
            // In the program itself, so that it can be moved to wherever it is wanted.
            resources: [.embedInCode("Pictures/default.png"), .embedInCode("Demo/hills.jpg")]),

        .testTarget(
            name: "CabinetTests",
            dependencies: ["Cabinet", "CabinetTesting", "StorageTestSupport"],
            exclude: ["Filters/Parser/Corpus"]),
        .testTarget(
            name: "CabinetSQLiteTests",
            dependencies: [
                "Cabinet", "CabinetConformance", "CabinetSQLite", "CabinetTesting", "CabinetTools", "CSQLite",
                "SavingProcess", "SQLSupport", "StorageTestSupport",
            ]),
        .testTarget(name: "SQLSupportTests", dependencies: ["Cabinet", "SQLSupport"]),
        .testTarget(
            name: "CabinetPostgresTests",
            dependencies: [
                "Cabinet", "CabinetConformance", "CabinetPostgres", "CabinetTesting", "CabinetTools",
                "CPostgreSQL", "PostgresTestSupport", "SavingProcess", "SQLSupport", "StorageTestSupport",
            ]),
        .testTarget(
            name: "CabinetWireTests",
            dependencies: ["Cabinet", "CabinetConformance", "CabinetTesting", "CabinetWire"]),
        .testTarget(
            name: "CabinetToolsTests", dependencies: ["Cabinet", "CabinetSQLite", "CabinetTesting", "CabinetTools"]),
        .testTarget(
            name: "CabinetServerTests",
            dependencies: ["Cabinet", "CabinetServer", "CabinetSQLite", "CabinetTesting", "CabinetWire"]),
        .testTarget(
            name: "CabinetListenerTests", dependencies: ["CabinetListener", "CabinetServer", "ProgramTestSupport"]),
        // A client and a server with real connections, and the rules between them.
        .testTarget(
            name: "CabinetRemoteTests",
            dependencies: [
                "Cabinet", "CabinetConformance", "CabinetListener", "CabinetPostgres", "CabinetRemote", "CabinetServer",
                "CabinetSQLite", "CabinetTesting", "CabinetWire", "PostgresTestSupport",
            ]),
        // Mirrors, and a simulation of many with a network that fails.
        .testTarget(
            name: "CabinetMirrorTests",
            dependencies: [
                "Cabinet", "CabinetCloudKit", "CabinetConformance", "CabinetICloud", "CabinetMirror", "CabinetSQLite",
                "CabinetTesting", "CabinetTools",
            ]),
        // Processes of `cabinet serve` that are killed, cut off and asked for long.
        .testTarget(
            name: "ServingTests",
            dependencies: [
                "Cabinet", "CabinetCLI", "CabinetMirror", "CabinetRemote", "CabinetSQLite", "CabinetTesting",
                "PostgresTestSupport", "ProgramTestSupport",
            ]),
        .testTarget(
            name: "CabinetDashboardTests",
            dependencies: [
                "Cabinet", "CabinetCLI", "CabinetDashboard", "CabinetServer", "CabinetTesting", "CabinetTools",
                "ProgramTestSupport",
            ]),
        .testTarget(
            name: "CabinetEncryptionTests",
            dependencies: ["Cabinet", "CabinetEncryption", "CabinetSQLite", "CabinetTesting", "CabinetTools"]),
        .testTarget(name: "CabinetTestingTests", dependencies: ["Cabinet", "CabinetTesting"]),
        .testTarget(
            name: "CabinetConformanceTests",
            dependencies: [
                "BackendTestSupport", "Cabinet", "CabinetConformance", "CabinetSQLite", "CabinetTesting",
                "CabinetTools",
            ]),
        // Tests of several backends together, or of each in the same way.
        .testTarget(
            name: "CrossBackendTests",
            dependencies: [
                "BackendTestSupport", "Cabinet", "CabinetConformance", "CabinetSQLite", "CabinetTesting",
            ]),
        // The coding of the service seam, and the rules through it.
        .testTarget(
            name: "ServiceRuleTests",
            dependencies: ["Cabinet", "CabinetConformance", "CabinetTesting"],
            exclude: ["Golden"]),
        .testTarget(
            name: "CabinetCloudKitTests",
            dependencies: [
                "Cabinet", "CabinetCloudKit", "CabinetConformance", "CabinetPostgres", "CabinetSQLite",
                "CabinetTesting", "PostgresTestSupport",
            ] + locationModules),
        .testTarget(name: "TerminalProgramTests", dependencies: ["ProgramTestSupport", "TerminalProgram"]),
        .testTarget(
            name: "CabinetCLITests",
            dependencies: [
                "Cabinet", "CabinetCLI", "CabinetRemote", "CabinetSQLite", "CabinetTools", "CabinetWire",
                "PostgresTestSupport", "ProgramTestSupport", "TerminalProgram",
            ]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Cabinet", "CabinetServer", "CabinetSQLite", "CRM", "ExampleSupport", "GettingStarted", "Notes",
                "PostgresTestSupport", "ProgramTestSupport", "ShoppingList", "TerminalProgram", "TypedFields",
            ] + cloudKitExamples,
            exclude: ["Expected"]),
        // Programs whose calls to the file system fail, or that are killed before one.
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Cabinet", "CabinetCLI", "CabinetEncryption", "CabinetSQLite", "CabinetTesting", "CabinetTools",
                "SavingProcess", "ShoppingList", "StorageTestSupport",
            ],
            exclude: ["Shim"]),
        // Stores and exports of earlier versions.
        .testTarget(
            name: "FixtureTests",
            dependencies: [
                "Cabinet", "CabinetCLI", "CabinetPostgres", "CabinetSQLite", "CabinetTools", "PostgresTestSupport",
                "StorageTestSupport",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "JSONLinesBackendTests",
            dependencies: ["Cabinet", "CabinetConformance", "JSONLinesBackend", "JSONLinesCheck"],
            exclude: ["Samples"]),
        .testTarget(
            name: "DictionaryBackendTests",
            dependencies: ["Cabinet", "CabinetConformance", "DictionaryBackend"]),
        .testTarget(name: "GroceriesTests", dependencies: ["Cabinet", "Groceries"], swiftSettings: []),
        // The code that articles and the tutorial show.
        .testTarget(
            name: "ArticleTests",
            dependencies: ["Cabinet", "CabinetEncryption", "CabinetSQLite", "CabinetTesting"]),
        .testTarget(name: "PackageTests"),
        .testTarget(name: "BenchmarkTests", dependencies: ["Benchmarks"]),

        // Cabinet beside plain C on SQLite and on PostgreSQL; `make bench` runs it.
        .target(name: "BenchmarkBaseline", dependencies: ["CPostgreSQL", "CSQLite"], path: "Benchmarks/Baseline"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "BenchmarkBaseline", "Cabinet", "CabinetListener", "CabinetMirror", "CabinetPostgres", "CabinetRemote",
                "CabinetSQLite", "CabinetServer", "CabinetWire", "PostgresTestSupport",
            ],
            path: "Benchmarks/Runner"),

        // Records, gates and a process that saves, for the tests of stores.
        .target(
            name: "StorageTestSupport", dependencies: ["Cabinet", "CabinetTesting"],
            path: "Tests/Support/StorageTestSupport"),

        // The package's backends, for tests of several.
        .target(
            name: "BackendTestSupport",
            dependencies: [
                "Cabinet", "CabinetConformance", "CabinetPostgres", "CabinetSQLite", "PostgresTestSupport",
                "SavingProcess", "StorageTestSupport",
            ],
            path: "Tests/Support/BackendTestSupport"),

        // Runs the package's programs as a user does, also in a terminal.
        .target(name: "ProgramTestSupport", path: "Tests/Support/ProgramTestSupport"),

        // A PostgreSQL server of the tests' own, which all of them share.
        .target(name: "PostgresTestSupport", path: "Tests/Support/PostgresTestSupport"),

        // A process that saves until it is killed, for the tests of durability.
        .executableTarget(
            name: "SavingProcess",
            dependencies: [
                "Cabinet", "CabinetConformance", "CabinetEncryption", "CabinetPostgres", "CabinetSQLite",
                "StorageTestSupport",
            ],
            path: "Tests/Support/SavingProcess"),
        // Prints how much memory operations ask for. No test may depend on it: it counts in the process that it is linked into.
        .target(name: "AllocationCounter", path: "Tests/Support/AllocationCounter"),
        .executableTarget(
            name: "AllocationProbe",
            dependencies: ["AllocationCounter", "Cabinet", "CabinetSQLite"],
            path: "Tests/Support/AllocationProbe"),
        .executableTarget(
            name: "DictionaryCheck", dependencies: ["CabinetConformance", "DictionaryBackend"],
            path: "Tests/Support/DictionaryCheck"),
        .executableTarget(
            name: "JSONLinesCheck", dependencies: ["CabinetConformance", "JSONLinesBackend"],
            path: "Tests/Support/JSONLinesCheck"),
    ],
    swiftLanguageModes: [.v6]
)

#if !canImport(CloudKit)
// The modules CloudKit and CoreLocation, on systems that have none: programs written for iCloud compile unmodified.
package.products.append(.library(name: "CloudKit", targets: ["CloudKit", "CoreLocation"]))
package.targets += [
    .target(name: "CloudKit", dependencies: ["CabinetCloudKit"]),
    .target(name: "CoreLocation"),
    // Cabinet's rules through CloudKit's classes, which have a store of Cabinet behind them here.
    .testTarget(
        name: "CabinetICloudTests",
        dependencies: [
            "Cabinet", "CabinetCloudKit", "CabinetConformance", "CabinetICloud", "CabinetSQLite", "CabinetTesting",
            "CloudKit", "CoreLocation",
        ]),
    // Code as it was written before Swift 6, in the language mode of its time.
    .testTarget(
        name: "CloudKitSwift5Tests", dependencies: ["Cabinet", "CloudKit"],
        swiftSettings: [.swiftLanguageMode(.v5)]),
    // A program as it was written for iCloud, in the language mode of its time.
    .executableTarget(
        name: "CloudKitLists", dependencies: ["CloudKit"], path: "Examples/CloudKitLists",
        swiftSettings: [.swiftLanguageMode(.v5)]),
]
#endif

// Every target has the settings but those that have their own, and those that are not written in Swift.
let others: Set = ["AllocationCounter", "BenchmarkBaseline", "CSHA256"]
for target in package.targets where target.type != .system && target.swiftSettings == nil {
    if !others.contains(target.name) { target.swiftSettings = settings }
}
